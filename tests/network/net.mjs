// A private AT Protocol network (PLC, PDS, AppView, bsync, Ozone), with an HTTP port that steers it.
//
// Environment: DB_POSTGRES_URL an empty database; NET_RATE_LIMITS=1 turns the PDS's rate limits on.
// One JSON line on stdout says that it is ready, and where. SIGTERM ends it.
import http from 'node:http'
import net from 'node:net'

// All of it would listen on every interface, with well-known passwords: loopback only.
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (first, ...rest) {
  return typeof first === 'number' ? listen.call(this, first, '127.0.0.1', ...rest) : listen.call(this, first, ...rest)
}

process.env.REDIS_HOST ||= '127.0.0.1:1' // must be set, is never dialled
const { TestNetwork } = await import('@atproto/dev-env')

const freePort = async () => {
  const server = net.createServer().listen(0)
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address()
  await new Promise((closed) => server.close(closed))
  return port
}

const limits = process.env.NET_RATE_LIMITS === '1' ? { rateLimitsEnabled: true, rateLimitBypassKey: 'bypass' } : {}
const network = await TestNetwork.create({
  dbPostgresSchema: 'network',
  plc: { port: await freePort() },
  pds: { port: await freePort(), hostname: 'localhost', enableDidDocWithSession: true, ...limits },
  bsky: { port: await freePort() },
  ozone: { port: await freePort() },
})
const { pds, bsky, ozone } = network
const moderator = ozone.getModClient()

// What the last events left for later is done, too.
const indexed = async () => {
  await network.processAll(30_000)
  await bsky.sub.processAll()
}

const subject = ({ did, uri, cid }) =>
  uri
    ? { $type: 'com.atproto.repo.strongRef', uri, cid }
    : { $type: 'com.atproto.admin.defs#repoRef', did }

const profile = ({ displayName, selfLabels }) => ({
  $type: 'app.bsky.actor.profile',
  displayName: displayName ?? '',
  labels: {
    $type: 'com.atproto.label.defs#selfLabels',
    values: (selfLabels ?? []).map((val) => ({ val })),
  },
})

const createAccount = async ({ handle, password, displayName, selfLabels }) => {
  const agent = pds.getAgent()
  await agent.createAccount({ handle, password, email: `${handle}@example.test` })
  const { did } = agent.session
  if (displayName !== null || selfLabels.length > 0) {
    const record = profile({ displayName, selfLabels })
    await agent.com.atproto.repo.putRecord({ repo: did, collection: 'app.bsky.actor.profile', rkey: 'self', record })
  }
  await indexed()
  return { did, accessJwt: agent.session.accessJwt }
}

const label = async ({ src, uri, did, cid, val, neg }) => {
  const row = {
    src: src ?? ozone.ctx.cfg.service.did,
    uri: uri ?? did,
    cid: cid ?? '',
    val,
    exp: null,
    neg: neg ?? false,
    cts: new Date().toISOString(),
  }
  const changed = { neg: row.neg, cts: row.cts }
  await bsky.db.db
    .insertInto('label')
    .values(row)
    .onConflict((conflict) => conflict.columns(['src', 'uri', 'cid', 'val']).doUpdateSet(changed))
    .execute()
  return {}
}

// Ozone itself tells PDS and AppView about an account. About a record it only issues a label, which this AppView does
// not read: it is copied over.
const takedown = async ({ did, uri, cid, reverse }) => {
  const what = { subject: subject({ did, uri, cid }) }
  if (reverse) await moderator.performReverseTakedown(what, 'admin')
  else await moderator.performTakedown(what, 'admin')
  if (uri) await label({ uri, cid, val: '!takedown', neg: reverse })
  await indexed()
  return {}
}

const ozoneLabel = async ({ did, uri, cid, create, negate }) => {
  const event = {
    $type: 'tools.ozone.moderation.defs#modEventLabel',
    createLabelVals: create,
    negateLabelVals: negate,
  }
  await moderator.emitEvent({ event, subject: subject({ did, uri, cid }) }, 'admin')
  await indexed()
  return {}
}

const deactivate = async ({ did, reverse }) => {
  const accounts = pds.ctx.accountManager
  if (reverse) await accounts.activateAccount(did)
  else await accounts.deactivateAccount(did, {})
  await indexed()
  return {}
}

const operations = {
  '/account': createAccount,
  '/process': async () => (await indexed(), {}),
  '/takedown': takedown,
  '/label': label,
  '/ozone-label': ozoneLabel,
  '/deactivate': deactivate,
  '/appview/pause': async () => (await bsky.sub.stop(), {}),
  '/appview/resume': async () => (await bsky.sub.start(), await indexed(), {}),
}

const answer = async (request) => {
  const operation = operations[request.url]
  if (request.method !== 'POST' || !operation) return [404, { error: 'NoSuchOperation', message: request.url }]
  let body = ''
  for await (const chunk of request) body += chunk
  try {
    return [200, await operation(JSON.parse(body))]
  } catch (error) {
    return [500, { error: error?.name ?? 'Error', message: String(error?.message ?? error) }]
  }
}

const control = http.createServer(async (request, response) => {
  const [status, body] = await answer(request)
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
})
await new Promise((listening) => control.listen(0, listening))

let closing = false
process.on('SIGTERM', async () => {
  if (closing) return
  closing = true
  await network.close().catch((error) => console.error(error))
  process.exit(0)
})

const ready = {
  pid: process.pid,
  pds: pds.url,
  appview: bsky.url,
  plc: network.plc.url,
  ozone: ozone.url,
  control: `http://127.0.0.1:${control.address().port}`,
  ozone_did: ozone.ctx.cfg.service.did,
  appview_did: bsky.ctx.cfg.serverDid,
}
process.stdout.write(JSON.stringify(ready) + '\n')

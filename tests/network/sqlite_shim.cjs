'use strict'
// What @atproto/pds and kysely use of better-sqlite3, over Node's own node:sqlite, so that nothing must be compiled.
const { DatabaseSync } = require('node:sqlite')

const CODES = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT',
  261: 'SQLITE_BUSY_RECOVERY',
  517: 'SQLITE_BUSY_SNAPSHOT',
  773: 'SQLITE_BUSY_TIMEOUT',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
}

class SqliteError extends Error {
  constructor(message, code) {
    super(message)
    this.name = 'SqliteError'
    this.code = code
  }
}

const translated = (call) => {
  try {
    return call()
  } catch (error) {
    if (error?.code !== 'ERR_SQLITE_ERROR') throw error
    throw new SqliteError(error.message, CODES[error.errcode] ?? CODES[error.errcode & 255] ?? 'SQLITE_ERROR')
  }
}

// Rows as plain objects, blobs as Buffers.
const plain = (row) =>
  row &&
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
    ]),
  )

const flat = (values) => (values.length === 1 && Array.isArray(values[0]) ? values[0] : values)

class Statement {
  constructor(statement) {
    this.statement = statement
    this.reader = statement.columns().length > 0
  }
  all(...values) {
    return translated(() => this.statement.all(...flat(values)).map(plain))
  }
  get(...values) {
    return translated(() => plain(this.statement.get(...flat(values))))
  }
  run(...values) {
    return translated(() => this.statement.run(...flat(values)))
  }
  *iterate(...values) {
    for (const row of this.statement.iterate(...flat(values))) yield plain(row)
  }
}

class Database {
  constructor(location, options = {}) {
    const settings = { timeout: options.timeout ?? 5000, enableForeignKeyConstraints: true }
    this.name = location
    this.db = translated(() => new DatabaseSync(location, settings))
    this.open = true
  }
  prepare(sql) {
    return translated(() => new Statement(this.db.prepare(sql)))
  }
  exec(sql) {
    translated(() => this.db.exec(sql))
    return this
  }
  pragma(pragma) {
    return this.prepare(`PRAGMA ${pragma}`).all()
  }
  close() {
    if (this.open) {
      this.open = false
      this.db.close()
    }
    return this
  }
}

Database.SqliteError = SqliteError
module.exports = Database

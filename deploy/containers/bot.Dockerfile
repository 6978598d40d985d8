# The bot. From the top of a clone, with BuildKit (Docker 23 or later, Podman 4 or later):
#   docker build --file deploy/containers/bot.Dockerfile --tag skywright-bot:0.1.0 .
# It writes to its volume /data and to /tmp only, so that it runs with a read-only root file system, and it needs no
# capability and no new privilege. Every setting comes by the environment; no secret belongs into an image.

# To build the same bytes again, name the digest too: --build-arg PYTHON=python:3.11-slim-trixie@sha256:…
ARG PYTHON=python:3.11-slim-trixie

FROM ${PYTHON} AS build
WORKDIR /src
COPY deploy/containers/bot.lock ./
# What packages hold is what was tested: each has its version and its hash.
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv --without-pip /opt/skywright \
    && pip --python /opt/skywright/bin/python install --require-hashes --requirement bot.lock
COPY pyproject.toml README.md LICENSE ./
COPY guardrails guardrails
COPY builder builder
COPY bot bot
RUN pip --python /opt/skywright/bin/python install --no-cache-dir --no-deps --no-build-isolation .

# For compose.demo.yaml alone: the bot, and a lane that opens no browser.
FROM build AS demo
COPY deploy/github/lane.lock ./
RUN --mount=type=cache,target=/root/.cache/pip \
    pip --python /opt/skywright/bin/python install --require-hashes --requirement lane.lock
ENV PATH=/opt/skywright/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /tmp
ENTRYPOINT ["skywright"]
CMD ["demo"]

FROM ${PYTHON}
LABEL org.opencontainers.image.title="Skywright, the bot" \
      org.opencontainers.image.description="Reads mentions, judges them, answers each exactly once" \
      org.opencontainers.image.licenses="MIT"
# pg_dump and pg_restore, which `skywright backup` and `restore` call; as new as a server of PostgreSQL 17.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin skywright \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /opt/skywright /opt/skywright
# Two listeners are for others and the admin listener for this container alone: `docker exec`, the health check, a
# forwarded port. Which addresses people and lanes know is for SKYWRIGHT_APPS_URL and SKYWRIGHT_LANE_URL to say. Who
# called is no business of the bot's, so there is no header of a proxy to trust.
ENV PATH=/opt/skywright/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    SKYWRIGHT_APPS_LISTEN=0.0.0.0:8100 \
    SKYWRIGHT_LANE_LISTEN=0.0.0.0:8101 \
    SKYWRIGHT_ADMIN_LISTEN=127.0.0.1:8102 \
    SKYWRIGHT_DATABASE_URL=sqlite:////data/skywright.db \
    SKYWRIGHT_LOG=json
# By number, so that whoever demands another user than root can see that it is one.
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8100 8101
# Alive, not ready: a restart mends no database that is away. The address is that of SKYWRIGHT_ADMIN_LISTEN.
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=4 \
    CMD ["python", "-c", "from http.client import *; c = HTTPConnection('127.0.0.1', 8102, timeout=8); c.request('GET', '/health'); exit(c.getresponse().status != 200)"]
# SIGTERM reaches the bot itself, which drains and ends with 0; give it 90 seconds for that.
STOPSIGNAL SIGTERM
ENTRYPOINT ["skywright"]
CMD ["run"]

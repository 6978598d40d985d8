# A builder lane, with Debian's Chromium and bubblewrap. From the top of a clone, with BuildKit:
#   docker build --file deploy/containers/lane.Dockerfile --tag skywright-lane:0.1.0 .
# It writes to /tmp only, so that it runs with a read-only root file system and a tmpfs there, and it needs no
# capability and no new privilege. What the engine has to allow:
# - Chromium's own sandbox makes user namespaces, and stays on. The engine's default seccomp profile refuses these to
#   whoever holds no capability: run the lane with deploy/containers/lane-seccomp.json, as compose.yaml and
#   kubernetes/ do. Never switch the sandbox off instead: what a stranger asked for runs in that browser.
# - A /dev/shm of 256 MB or more: --shm-size 256m.
# - Something as process 1 that buries orphans: --init.
# - The generator `command` only: bubblewrap mounts, too, which AppArmor and masked paths in /proc keep from it:
#   --security-opt apparmor=unconfined --security-opt systempaths=unconfined. That lane is best given a machine of its own.

# To build the same bytes again, name the digest too: --build-arg PYTHON=python:3.11-slim-trixie@sha256:…
ARG PYTHON=python:3.11-slim-trixie

FROM ${PYTHON} AS build
WORKDIR /src
COPY deploy/github/lane.lock ./
# What packages hold is what was tested: each has its version and its hash.
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv --without-pip /opt/skywright \
    && pip --python /opt/skywright/bin/python install --require-hashes --requirement lane.lock
COPY pyproject.toml README.md LICENSE ./
COPY guardrails guardrails
COPY builder builder
COPY bot bot
RUN pip --python /opt/skywright/bin/python install --no-cache-dir --no-deps --no-build-isolation .

FROM ${PYTHON}
LABEL org.opencontainers.image.title="Skywright, a builder lane" \
      org.opencontainers.image.description="Claims an ask, builds the app, looks at it in Chromium, publishes, reports" \
      org.opencontainers.image.licenses="MIT"
# Fonts too: without them a page of text is a page of boxes.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap chromium fonts-dejavu-core fonts-noto-color-emoji \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10002 --user-group --no-create-home --home-dir /tmp --shell /usr/sbin/nologin lane
COPY --from=build /opt/skywright /opt/skywright
ENV PATH=/opt/skywright/bin:$PATH \
    HOME=/tmp \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
# By number, so that whoever demands another user than root can see that it is one.
USER 10002:10002
WORKDIR /tmp
# Could it build now: room, its parts, and a bot that takes its token. Of a lane that hangs the bot says that none comes by.
HEALTHCHECK --interval=2m --timeout=45s --start-period=30s --retries=3 CMD ["skywright-builder", "doctor"]
# SIGTERM ends what is at work, or has it released after SKYWRIGHT_LANE_GRACE_SECONDS; give it 60 seconds for that.
STOPSIGNAL SIGTERM
ENTRYPOINT ["skywright-builder"]
CMD ["watch"]

# syntax=docker/dockerfile:1
# Builds with `docker build .`, podman or buildah. BASE is any Debian with Node 24.
#
# The tag moves with each release of Node and Debian. For a build that can be repeated, look its digest up and pass it:
#     docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
#     docker build --build-arg BASE=docker.io/library/node:24-bookworm-slim@sha256:… .
ARG BASE=docker.io/library/node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /sendroom
COPY . .
RUN npm ci && npm run build

# The web app is built, so only the program's own dependencies remain. BASE brings Node, so npm's copy of it is not needed.
RUN npm ci --omit=dev --workspace server --workspace contract --workspace simulator \
  && rm -rf node_modules/node-linux-* node_modules/node-bin-* bench e2e docs server/test

FROM ${BASE}
# PostgreSQL wants a name for the user it runs as. The image of Node has one with this number.
RUN getent passwd 1000 > /dev/null || useradd --uid 1000 --create-home sendroom
COPY --from=build /sendroom /sendroom
RUN mkdir /data && chown 1000:1000 /data
WORKDIR /sendroom
USER 1000:1000
ENV DATA_DIR=/data HOST=0.0.0.0 PORT=3000 NODE_ENV=production
VOLUME /data
EXPOSE 3000
# A worker has no port: switch this off for it, as compose.split.yaml does.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD \
  ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The options keep the memory small. They are those of `npm start`, which would not pass on signals.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=60", "scripts/start.mjs"]

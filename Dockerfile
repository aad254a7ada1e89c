# The service's programs in one image: customer API (the default command), worker, operator's command line, migrations.

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# What runs needs no install script; none runs, here or below. Nor does it need optional packages: Node is the image's. Some
# packages bring tools that only their own optional parts would use.
RUN npm ci --omit=dev --omit=optional --ignore-scripts \
 && rm -rf node_modules/@types node_modules/prettier node_modules/typescript

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json tsconfig.build.json bundle-operator.mjs ./
COPY apps apps
COPY libs libs
# What is only for developers' machines is not in the image: it could not be started in production anyway.
RUN node_modules/.bin/nest build \
 && node bundle-operator.mjs \
 && rm -rf dist/apps/local dist/apps/sandbox dist/.tsbuildinfo \
 && chmod -R a=rX,u+w dist

# The operator's console, with packages that only a browser runs.
FROM node:24-bookworm-slim AS console
WORKDIR /app
COPY .npmrc ./
COPY apps/operator-console/package.json apps/operator-console/package-lock.json apps/operator-console/.npmrc apps/operator-console/
RUN cd apps/operator-console && npm ci --ignore-scripts
COPY apps/operator-api/openapi.json apps/operator-api/openapi.json
COPY apps/operator-console apps/operator-console
RUN cd apps/operator-console && npm run -s build && chmod -R a=rX,u+w ../../dist

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 INTERNAL_HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=console /app/dist/apps/operator-console dist/apps/operator-console
COPY package.json ./
# What V8 compiles of the operator's program, so that a command need not; by the user who will read it. And the folder of log files,
# whose owner a new volume takes over.
RUN mkdir dist/.compile-cache /var/log/account && chown node dist/.compile-cache /var/log/account
USER node
RUN node dist/apps/operator/src/warm-compile-cache.js
ARG RELEASE=unknown
LABEL org.opencontainers.image.title=customer-account-service org.opencontainers.image.version=$RELEASE
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||3000)+'/health/ready').then(({ok})=>process.exit(ok?0:1),()=>process.exit(1))"]
# Objects that a request leaves behind are collected in a space of up to 64 MB: in V8's own choice for a container of 1 GB, 16 MB,
# collecting takes a quarter of what the API does. https://nodejs.org/api/cli.html#--max-semi-space-sizesize-in-mib
CMD ["node", "--max-semi-space-size=64", "dist/apps/customer-api/src/main.js"]

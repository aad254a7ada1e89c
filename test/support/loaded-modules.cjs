// Preloaded into a process: at its end it writes to standard error how much of OpenTelemetry it loaded. Its `api` package does not
// count: the metrics library loads it for its own purposes.
process.on('exit', () => {
  const loaded = Object.keys(require.cache).filter((path) => /\/node_modules\/@opentelemetry\/(?!api\/)/.test(path));
  process.stderr.write(`modules of OpenTelemetry: ${loaded.length}\n`);
});

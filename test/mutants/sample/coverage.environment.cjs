const { createHash } = require('node:crypto');
const { mkdirSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join, relative } = require('node:path');

const support = join(process.cwd(), 'test', 'support');
const Environment = require(join(support, 'environment.ts')).default;
const { endLastingProcesses } = require(join(support, 'lasting-process.cjs'));

/**
 * Records which code a spec runs, in its own process and in programs that it starts: Node passes `NODE_V8_COVERAGE` on to
 * child processes, which write their coverage when they end.
 */
module.exports = class CoverageEnvironment extends Environment {
  constructor(config, context) {
    super(config, context);
    this.spec = relative(process.cwd(), context.testPath);
    const name = createHash('sha256').update(this.spec).digest('hex').slice(0, 16);
    this.folder = join(process.env.MUTANTS_COVERAGE, name);
    mkdirSync(this.folder, { recursive: true });
    process.env.NODE_V8_COVERAGE = this.folder;
  }

  async setup() {
    this.session = new Session();
    this.session.connect();
    await this.post('Profiler.enable');
    await this.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    this.startedAt = performance.now();
    await super.setup();
  }

  async teardown() {
    const ms = Math.round(performance.now() - this.startedAt);
    const { result } = await this.post('Profiler.takePreciseCoverage');
    await this.post('Profiler.stopPreciseCoverage');
    this.session.disconnect();
    const code = new RegExp(`^file://${process.cwd()}/(apps|libs)/.*(?<!\\.spec)\\.ts$`);
    const own = result.filter(({ url }) => code.test(url));
    writeFileSync(join(this.folder, 'spec.json'), JSON.stringify({ spec: this.spec, ms, result: own }));
    await super.teardown();
    // What runs commands for all specs of a worker writes its coverage at its end, into the folder of the spec that started it.
    await endLastingProcesses();
  }

  post(method, params) {
    return new Promise((resolve, reject) =>
      this.session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
    );
  }
};

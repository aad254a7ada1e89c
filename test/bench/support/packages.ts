import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** `require` for the packages of `test/bench/package.json`, which only benchmarks install. */
export const packagesOfBenchmarks = createRequire(resolve('test', 'bench', 'package.json'));

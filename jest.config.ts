import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

const config: Config = {
  rootDir: '.',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  // The console's packages are many, and no test loads them.
  modulePathIgnorePatterns: ['<rootDir>/apps/operator-console/'],
  // They need a browser, a Prometheus, or the commit of the last release, and have commands of their own: npm run ….
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/attack/',
    '<rootDir>/test/browser/',
    '<rootDir>/test/former-release/',
    '<rootDir>/test/monitoring/',
  ],
  testEnvironment: '<rootDir>/test/support/environment.ts',
  runtime: '<rootDir>/test/support/lasting-packages.runtime.cjs',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          baseUrl: process.cwd(),
          paths: {
            '@domains/*': ['libs/domains/*/src/index.ts'],
            '@records/*': ['libs/records/src/*'],
            '@schema': ['libs/schema/src/index.ts'],
            '@platform/*': ['libs/platform/*/src/index.ts'],
            '@test/*': ['test/support/*'],
          },
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/each-file.ts'],
  // They end tests that hang. Where a test must be quick, it says so itself: machines are slower than one thinks.
  testTimeout: 240_000,
  // The longest specs wait for four fifths of their time.
  maxWorkers: Math.min(availableParallelism() * 2, 8),
  // A heap that keeps growing would be collected again and again; see test/support/environment.ts. Young objects have twice the usual room
  // (package.json): a twentieth less of the workers' time.
  workerIdleMemoryLimit: '800MB',
  testSequencer: '<rootDir>/test/support/longest-first.sequencer.cjs',
};

export default config;

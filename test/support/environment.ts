import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

declare global {
  /** Loads a module of the tests' own tools once per worker: jest loads all others again for each spec file. */
  var loadOncePerWorker: (path: string) => unknown;
}

/** Node's environment, which tools that take long to load outlive. */
export default class LastingToolsEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    this.global.loadOncePerWorker = createRequire(__filename);
  }
}

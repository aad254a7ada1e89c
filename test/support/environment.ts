import { createRequire } from 'node:module';
import vm from 'node:vm';
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

/** Code of the error when V8 does not take what it made before: a test has set other options of V8. */
const REJECTED = 'ERR_VM_MODULE_CACHED_DATA_REJECTED';

/** A module's text, and what V8 made of it. */
interface CompiledModule {
  source: string;
  code: Buffer | undefined;
}

/** The options of jest's modules of ECMAScript. */
type ModuleOptions = vm.SourceTextModuleOptions & { identifier: string };

/** What the types of Node's modules lack. */
interface CacheableModule {
  createCachedData(): Buffer;
}

/**
 * Keeps what V8 makes of each module. A spec file loads some 3,500 of them, the same as the one before it, in a context of its own:
 * jest compiles them again, which takes a fifth of the processor's time of most spec files.
 */
function keepCompiledModules(): void {
  const functions = new Map<string, CompiledModule>();
  const compile = vm.compileFunction;
  vm.compileFunction = (source, parameters, options = {}) => {
    const { filename = '' } = options;
    const known = functions.get(filename);
    if (known?.source === source) {
      const compiled = compile(source, parameters, { ...options, cachedData: known.code });
      if (compiled.cachedDataRejected) functions.delete(filename);
      return compiled;
    }
    const compiled = compile(source, parameters, { ...options, produceCachedData: true });
    functions.set(filename, { source, code: compiled.cachedData });
    return compiled;
  };

  const modules = new Map<string, CompiledModule>();
  vm.SourceTextModule = class extends vm.SourceTextModule {
    constructor(source: string, options: ModuleOptions) {
      const known = modules.get(options.identifier);
      if (known?.source === source) {
        try {
          super(source, { ...options, cachedData: known.code });
          return;
        } catch (error) {
          if ((error as { code?: string }).code !== REJECTED) throw error;
        }
      }
      super(source, options);
      modules.set(options.identifier, { source, code: (this as unknown as CacheableModule).createCachedData() });
    }
  };
}

keepCompiledModules();

import { createRequire } from 'node:module';
import { PerformanceObserver } from 'node:perf_hooks';
import { types } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import './lasting-process.cjs';
import { TestEnvironment } from 'jest-environment-node';

declare global {
  /** Loads a module of the tests' own tools once per worker: jest loads all others again for each spec file. */
  var loadOncePerWorker: (path: string) => unknown;
}

/**
 * Bytes of the heap from which on garbage is collected between two spec files, unless little of it was garbage the last time: a collection
 * takes up to three seconds then, and jest soon starts the worker anew (`workerIdleMemoryLimit`).
 */
const LARGE_HEAP = 600 * 1024 ** 2;
let isMostlyGarbage = true;

/** Globals that packages set when they are loaded, once: dispatchers of undici. */
const KEPT_GLOBALS = 'undici';

setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

/**
 * The context of all spec files of a worker, so that they can share packages (`lasting-packages.runtime.cjs`). Without a sandbox object,
 * as in a program: each look-up of a global would ask it.
 */
const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
const intrinsics = Object.getOwnPropertyDescriptors(context);
const { createContext } = vm;
vm.createContext = (object, options) =>
  // Jest's environment asks for a context of a proxy.
  types.isProxy(object) ? context : createContext(object, options);

/** What jest defines for good could not be defined for the next spec file. */
const { defineProperties } = Object;
function defineRemovable<T>(object: T, descriptors: PropertyDescriptorMap): T {
  const removable = Reflect.ownKeys(descriptors).map((key) => [
    key,
    { ...descriptors[key as string], configurable: true },
  ]);
  return defineProperties(
    object,
    object === context ? (Object.fromEntries(removable) as PropertyDescriptorMap) : descriptors,
  );
}

/** Gives a spec file the globals that the first one found. Not sooner: the one before it may have left something behind that uses its own. */
function restoreGlobals(): void {
  for (const key of Reflect.ownKeys(context))
    // What a package keeps there it sets when it is loaded.
    if (!(key in intrinsics) && !String(key).includes(KEPT_GLOBALS)) Reflect.deleteProperty(context, key);
  defineProperties(context, intrinsics);
}

/** Node's environment, with what takes long to make outliving the spec files of a worker: the context, packages and tools. */
export default class LastingEnvironment extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    restoreGlobals();
    Object.defineProperties = defineRemovable;
    try {
      super(...options);
    } finally {
      Object.defineProperties = defineProperties;
    }
  }

  override async setup(): Promise<void> {
    await super.setup();
    this.global.loadOncePerWorker = createRequire(__filename);
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    delete (globalThis as { typeormMetadataArgsStorage?: object }).typeormMetadataArgsStorage;
    for (const observer of observers) observer.disconnect();
    observers.clear();
    if (!isMostlyGarbage || process.memoryUsage().heapUsed < LARGE_HEAP) return;
    collectGarbage();
    isMostlyGarbage = process.memoryUsage().heapUsed < LARGE_HEAP / 2;
  }
}

/** Observers of Node's that the spec file has started: of garbage collections, for the metrics. */
const observers = new Set<PerformanceObserver>();
const { observe } = PerformanceObserver.prototype;
PerformanceObserver.prototype.observe = function (this: PerformanceObserver, ...options) {
  observers.add(this);
  return Reflect.apply(observe, this, options);
};

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

/** The module of Fastify's that looks for each plugin among all modules that are loaded, which jest lists anew each time. */
const PLUGIN_NAMES = '/fastify/lib/plugin-utils.js';

/** The bytes themselves belong to the context of the spec file that they were made for, and would keep it. */
const copyOf = (code: Buffer) => Buffer.from(code);

/**
 * Keeps what V8 makes of the modules that each spec file loads anew, ours above all: jest compiles them again.
 */
function keepCompiledModules(): void {
  const functions = new Map<string, CompiledModule>();
  const compile = vm.compileFunction;
  vm.compileFunction = (text, parameters, options = {}) => {
    const { filename = '' } = options;
    const source = filename.endsWith(PLUGIN_NAMES) ? text.replace('require.cache', 'undefined') : text;
    const known = functions.get(filename);
    if (known?.source === source) {
      const compiled = compile(source, parameters, { ...options, cachedData: known.code });
      if (compiled.cachedDataRejected) functions.delete(filename);
      return compiled;
    }
    const compiled = compile(source, parameters, { ...options, produceCachedData: true });
    functions.set(filename, { source, code: compiled.cachedData && copyOf(compiled.cachedData) });
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
      modules.set(options.identifier, {
        source,
        code: copyOf((this as unknown as CacheableModule).createCachedData()),
      });
    }
  };
}

keepCompiledModules();

const { default: Runtime } = require('jest-runtime');

const PACKAGES = '/node_modules/';

/** Packages that keep what spec files give them: entities, metrics, contexts, seeds. */
const RELOADED = [
  '@faker-js/faker/',
  '@nestjs/typeorm/',
  '@opentelemetry/',
  'fast-check/',
  'nestjs-cls/',
  'prom-client/',
];

/** Whether a module, by its path or its address, lasts. */
const lasts = (module) => {
  const place = module?.lastIndexOf?.(PACKAGES) ?? -1;
  if (place < 0) return false;
  const name = module.slice(place + PACKAGES.length);
  return !RELOADED.some((reloaded) => name.startsWith(reloaded));
};

/** A spec file's modules, and those that last. */
class Registry extends Map {
  constructor(lasting) {
    super();
    this.lasting = lasting;
  }

  has(key) {
    return lasts(key) ? this.lasting.has(key) : super.has(key);
  }

  get(key) {
    return lasts(key) ? this.lasting.get(key) : super.get(key);
  }

  set(key, module) {
    if (!lasts(key)) return super.set(key, module);
    this.lasting.set(key, module);
    return this;
  }

  delete(key) {
    return lasts(key) ? this.lasting.delete(key) : super.delete(key);
  }
}

const commonJsModules = new Map();
const ecmaScriptModules = new Map();

/** The runtime of the present spec file. */
let current;

/** Compiles packages: each function keeps its compiler, for imports, and would keep the runtime of the spec file that first loads it. */
const packageExecutor = {
  environment: { getVmContext: () => current.executor.environment.getVmContext() },
  resolution: { isCoreModule: () => false },
  get injectedModuleParameters() {
    return current.executor.injectedModuleParameters;
  },
  dynamicImport: (...request) => current.executor.dynamicImport(...request),
};

/**
 * Keeps the packages that spec files load, with all that V8 knows about their code: each file loads some 3,500 modules of them, the same
 * as the one before it. Needs one context for all spec files, which `environment.ts` gives them. Modules of this repository, those in
 * RELOADED and those of jest itself are loaded anew for each spec file.
 */
module.exports = class LastingPackagesRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    current = this;
    this.registries.moduleRegistry = new Registry(commonJsModules);
    this.registries.esModuleRegistry = new Registry(ecmaScriptModules);

    // What a module loads later is the present spec file's.
    const { requireBuilder, executor, esmLoader, cjsLoader } = this;
    const { requireDispatch } = requireBuilder;
    requireBuilder.requireDispatch = (from, name) =>
      lasts(from) ? current.requireModuleOrMock(from, name) : requireDispatch(from, name);
    const { compile, dynamicImport } = executor;
    executor.compile = (source, path) => compile.call(lasts(path) ? packageExecutor : executor, source, path);
    executor.dynamicImport = (specifier, from, ...rest) =>
      lasts(from)
        ? current.esmLoader.dynamicImportFromCjs(specifier, from, ...rest)
        : dynamicImport(specifier, from, ...rest);
    this.importFromModule = esmLoader.dynamicImport;
    esmLoader.dynamicImport = (specifier, from, ...rest) =>
      (lasts(from.identifier) ? current : this).importFromModule(specifier, from, ...rest);

    // A module that lasts would keep those that do not.
    const recordChildModule = cjsLoader.recordChildModule.bind(cjsLoader);
    cjsLoader.recordChildModule = (from, child, registry) => {
      if (!lasts(from) || lasts(child.filename)) recordChildModule(from, child, registry);
    };
  }

  teardown() {
    super.teardown();
    // Two packages keep the classes of DTOs and of their rules. The first one's own method forgets all but one kind.
    const storage = loadedPackage('/class-transformer/cjs/storage.js')?.defaultMetadataStorage;
    storage?.clear();
    storage?._transformMetadatas.clear();
    loadedPackage('/class-validator/cjs/container.js')?.useContainer(new Instances());
  }
};

/** A package's module, if it was loaded. */
function loadedPackage(end) {
  return [...commonJsModules].find(([path]) => path.endsWith(end))?.[1].exports;
}

/** An instance of each class, as class-validator makes them where it was not given others. */
class Instances {
  made = new Map();

  get(type) {
    return this.made.get(type) ?? this.made.set(type, new type()).get(type);
  }
}

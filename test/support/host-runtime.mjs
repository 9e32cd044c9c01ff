import { createRequire } from 'node:module';
import { compileFunction, SyntheticModule } from 'node:vm';
import JestRuntime from 'jest-runtime';

/** Promises of modules by specifier. */
const packages = new Map();

/**
 * Loads test files and the code of this repository into the main context of the worker (HostEnvironment), anew for each test file, but
 * packages only once per worker. In its own contexts, Jest would load NestJS, TypeORM and the rest anew for each file, and all code would
 * access globals through a proxy. The overridden members belong to the version of Jest in package.json.
 */
export default class HostRuntime extends JestRuntime {
  constructor(...args) {
    super(...args);
    const { esmLoader, executor } = this;
    const resolveModule = esmLoader.resolveModule.bind(esmLoader);
    esmLoader.getContext = () => undefined;
    esmLoader.resolveModule = (specifier, from, context) =>
      isPackage(specifier) ? packageModule(specifier) : resolveModule(specifier, from, context);
    // Otherwise newer versions of Node load the graph without resolveModule.
    this._resolution.hasDistinctAsyncResolver = () => true;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: (specifier, _function, attributes) =>
          executor.dynamicImport(specifier, filename, undefined, attributes),
      });
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (moduleName && !options?.isInternalModule && isPackage(moduleName)) return createRequire(from)(moduleName);
    return super.requireModule(from, moduleName, options, isRequireActual);
  }
}

const isPackage = (specifier) => /^(?!@app\/|@jest\/globals$|node:|data:|file:)[@a-z]/.test(specifier);

function packageModule(specifier) {
  let module = packages.get(specifier);
  if (module === undefined) {
    module = loadPackage(specifier);
    packages.set(specifier, module);
  }
  return module;
}

async function loadPackage(specifier) {
  const namespace = await import(specifier);
  const names = Object.keys(namespace);
  const module = new SyntheticModule(
    names,
    () => {
      for (const name of names) module.setExport(name, namespace[name]);
    },
    { identifier: specifier },
  );
  // Newer versions of Node link it in the constructor.
  if (module.status === 'unlinked') await module.link(() => undefined);
  await module.evaluate();
  return module;
}

import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * A test environment without a vm context: a test file runs in the main context of its worker, where globals are fast and `instanceof` holds
 * for the errors of Node. The next file finds the globals and the environment variables as they were.
 */
export default class HostEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #globals = new Set(Reflect.ownKeys(globalThis));
  #variables = { ...process.env };
  // Jest wraps it for each file.
  #exit = Reflect.get(process, 'exit');

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
    for (const key of Reflect.ownKeys(globalThis)) if (!this.#globals.has(key)) Reflect.deleteProperty(globalThis, key);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** HostRuntime does not use it; Jest needs a context to be there. */
  getVmContext() {
    return globalThis;
  }
}

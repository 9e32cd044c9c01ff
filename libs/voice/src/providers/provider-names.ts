import { PROVIDER_VARIABLES, type ProvidersEnv } from '@app/common';
import { providerSettings, type ProviderSettings } from './provider-settings.js';
import { installedPrograms } from './pipeline/synthesizers/program.js';

/*
 * What a dialer can use, for processes that do not have its keys: the names of its variables, never their values.
 */

const SANDBOX = '=sandbox';
const PROGRAM = 'program:';

/** The names of the variables that are set, with `=sandbox` where the sandbox server plays a vendor, and the speech programs of this machine. */
export function providerNames(env: ProvidersEnv): string[] {
  const set = PROVIDER_VARIABLES.filter((name) => env[name] !== undefined && env[name] !== '');
  return [
    ...set.map((name) => (env[name] === 'sandbox' ? `${name}${SANDBOX}` : name)),
    ...installedPrograms().map((name) => `${PROGRAM}${name}`),
  ];
}

/** Settings with which the same providers are configured; addresses and keys have no meaning. */
export function settingsOfNames(names: readonly string[]): ProviderSettings {
  const variables = names.filter((name) => !name.startsWith(PROGRAM)).map(placeholderOf);
  const programs = names.filter((name) => name.startsWith(PROGRAM)).map((name) => name.slice(PROGRAM.length));
  return { ...providerSettings(Object.fromEntries(variables)), programs, sandbox: { url: 'ws://localhost' } };
}

function placeholderOf(name: string): [string, string] {
  if (name.endsWith(SANDBOX)) return [name.slice(0, -SANDBOX.length), 'sandbox'];
  return [name, name.endsWith('_URL') ? 'https://configured.invalid' : 'configured'];
}

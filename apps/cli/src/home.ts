import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of package.json, from dist/apps/cli/src. */
export const packageRoot = fileURLToPath(new URL('../../../..', import.meta.url));

/** Everything of one installation on this machine; relative to where the command was given. */
export const homeOf = (env: { TRUNKLINE_HOME: string }): string => resolve(env.TRUNKLINE_HOME);

/** For commands that look for a running installation: the home here, else the one of the clone this file belongs to. */
export function runningHome(env: { TRUNKLINE_HOME: string }): string | undefined {
  const homes = [homeOf(env), resolve(packageRoot, env.TRUNKLINE_HOME)];
  return homes.find((home) => existsSync(join(home, 'ready.json')));
}

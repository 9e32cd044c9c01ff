import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, it } from '@jest/globals';
import * as pg from 'pg';
import HostEnvironment from './support/host-environment.mjs';

/** The global that a test file or a package in it may leave. */
const LEFT = Symbol('left');

it('a test file shares its context with Node and with packages', async () => {
  await expect(readFile('no such file')).rejects.toBeInstanceOf(Error);
  expect(createRequire(import.meta.url)('pg')).toBe(pg.default);
  expect(new pg.DatabaseError('', 0, 'error')).toBeInstanceOf(Error);
});

it('the next test file finds the globals and the environment variables as they were', async () => {
  process.env.TRUNKLINE_BEFORE = 'before';
  const environment = new HostEnvironment({ projectConfig: {} });
  const exit: unknown = Reflect.get(process, 'exit');
  process.env.TRUNKLINE_BEFORE = 'changed';
  process.env.TRUNKLINE_ADDED = 'added';
  Object.assign(globalThis, { [LEFT]: true });
  process.exit = () => process.abort();
  await environment.teardown();
  expect(process.env).toMatchObject({ TRUNKLINE_BEFORE: 'before' });
  expect(process.env).not.toHaveProperty('TRUNKLINE_ADDED');
  expect(globalThis).not.toHaveProperty([LEFT as never]);
  expect(Reflect.get(process, 'exit')).toBe(exit);
});

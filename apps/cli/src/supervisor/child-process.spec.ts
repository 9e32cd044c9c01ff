import { expect, it } from '@jest/globals';
import { loadEnv } from '@app/common';
import { childEnvironment, opensLoopback } from './child-process.js';

it.each([
  ['the embedded database', undefined, [], true],
  ['the embedded database, with networks of the operator', undefined, ['10.0.0.0/8'], false],
  ['a database of the operator on localhost', 'postgres://u@localhost/t', [], false],
  ['a database of the operator on 127.0.0.1', 'postgres://u@127.0.0.1:5432/t', [], false],
  ['a database of the operator on [::1]', 'postgres://u@[::1]/t', [], false],
  ['a database of the operator elsewhere', 'postgres://u@db.example.com/t', [], false],
])('start on %s decides about loopback for calls and webhooks', (_name, url, networks, expected) => {
  expect(opensLoopback({ DATABASE_URL: url }, networks)).toBe(expected);
});

it.each([
  ['the embedded database without a key', {}, 'sandbox'],
  ['the embedded database with a key', { GEMINI_API_KEY: 'k' }, undefined],
  ['a database of the operator', { DATABASE_URL: 'postgres://u@localhost/t' }, undefined],
])('on %s, start decides whether the sandbox server plays agents of gemini-live', (_name, variables, expected) => {
  const chosen = { home: '/h', databaseUrl: 'd', secretKey: 's', port: 1, sipPort: 2, phonePort: 3 };
  expect(childEnvironment(loadEnv(variables), chosen).GEMINI_BASE_URL).toBe(expected);
});

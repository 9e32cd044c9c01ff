import { expect, it } from '@jest/globals';
import { opensLoopback } from './child-process.js';

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

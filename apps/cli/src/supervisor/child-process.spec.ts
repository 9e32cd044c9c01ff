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

const VENDORS = [
  ...['DEEPGRAM_URL', 'ASSEMBLYAI_URL', 'OPENAI_URL', 'ANTHROPIC_URL', 'GOOGLE_URL'],
  ...['COMPATIBLE_URL', 'ELEVENLABS_URL', 'CARTESIA_URL', 'GEMINI_BASE_URL'],
] as const;

it.each([
  ['the embedded database without keys', {}, VENDORS],
  [
    'the embedded database with keys',
    { GEMINI_API_KEY: 'k', OPENAI_API_KEY: 'k' },
    VENDORS.filter((name) => !['GEMINI_BASE_URL', 'GOOGLE_URL', 'OPENAI_URL'].includes(name)),
  ],
  [
    'the embedded database with an own server',
    { COMPATIBLE_URL: 'http://localhost:11434/v1' },
    VENDORS.filter((name) => name !== 'COMPATIBLE_URL'),
  ],
  ['a database of the operator', { DATABASE_URL: 'postgres://u@localhost/t' }, []],
])('on %s, start decides which vendors of agents the sandbox server plays', (_name, variables, expected) => {
  const chosen = { home: '/h', databaseUrl: 'd', secretKey: 's', port: 1, sipPort: 2, phonePort: 3 };
  const environment = childEnvironment(loadEnv(variables), chosen);
  expect(VENDORS.filter((name) => environment[name] === 'sandbox')).toEqual(expected);
});

import { describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { givenSecrets, loadEnv, VARIABLES } from './env.js';
import { missingSecrets } from './missing-secrets.js';
import { ROLE_SECRETS, surplusSecrets } from './role-secrets.js';
import { isSecret, unknownSecretFiles, withPassword } from './secret-files.js';

const KEY = 'k'.repeat(32);
const folderOf = (files: Record<string, string>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-secrets-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
};

describe('the secrets of a role', () => {
  it('are variables, and each secret has a role that reads it', () => {
    const read = new Set<string>(Object.values(ROLE_SECRETS).flat());
    expect([...read].toSorted()).toEqual(VARIABLES.filter(isSecret).toSorted());
  });

  it('are the only ones that the role gets', () => {
    const given = Object.fromEntries(VARIABLES.filter(isSecret).map((name) => [name, `${name}-${KEY}`]));
    const source = {
      ...given,
      DATABASE_URL: 'postgres://u@h/d',
      QUEUE_URL: 'redis://h',
      EGRESS_PROXY_URL: 'http://p:1',
    };
    for (const [role, secrets] of Object.entries(ROLE_SECRETS)) {
      const env = loadEnv(source, role as keyof typeof ROLE_SECRETS) as Record<string, unknown>;
      // A list of keys is empty without one.
      const got = VARIABLES.filter(isSecret).filter(
        (name) => env[name] !== undefined && JSON.stringify(env[name]) !== '[]',
      );
      expect([role, got.toSorted()]).toEqual([role, secrets.toSorted()]);
    }
  });

  it('leave out those of an engine and of a queue that the role does not use', () => {
    const livekit = { ENGINE: 'livekit', LIVEKIT_URL: 'wss://livekit.example.com' };
    expect(() => loadEnv(livekit, 'dialer')).toThrow('LIVEKIT_API_KEY: ENGINE=livekit requires it');
    expect(loadEnv(livekit, 'worker').ENGINE).toBe('livekit');
    expect(loadEnv({ EMBEDDINGS_PROVIDER: 'voyage' }, 'embedder').EMBEDDINGS_PROVIDER).toBe('voyage');
  });
});

describe('SECRETS_DIR', () => {
  it('has one file for each secret; a variable has priority, and an empty file is an unset one', () => {
    const folder = folderOf({
      SECRET_KEY: `${KEY}\n`,
      OPENAI_API_KEY: '',
      GEMINI_API_KEY: 'of-file',
      COHERE_API_KEY: 'x',
    });
    const env = loadEnv({ SECRETS_DIR: folder, GEMINI_API_KEY: 'of-variable' }, 'api');
    expect(env).toMatchObject({ SECRET_KEY: KEY, GEMINI_API_KEY: 'of-variable', COHERE_API_KEY: 'x' });
    expect(env.OPENAI_API_KEY).toBeUndefined();
    expect(givenSecrets({ SECRETS_DIR: folder })).toEqual(
      expect.arrayContaining(['SECRET_KEY', 'GEMINI_API_KEY', 'COHERE_API_KEY']),
    );
  });

  it('must exist, and its files must be readable and named for secrets', () => {
    expect(() => loadEnv({ SECRETS_DIR: '/nowhere' })).toThrow('SECRETS_DIR: /nowhere does not exist.');
    const folder = folderOf({ OPENAI_KEY: 'x', '..data': '' });
    mkdirSync(join(folder, 'SECRET_KEY'));
    expect(() => loadEnv({ SECRETS_DIR: folder })).toThrow(`SECRETS_DIR: ${folder}/SECRET_KEY cannot be read (EISDIR)`);
    expect(unknownSecretFiles({ SECRETS_DIR: folder }, VARIABLES)).toEqual(['OPENAI_KEY']);
  });
});

describe('a password of its own', () => {
  it.each([
    ['postgres://trunkline@db:5432/trunkline', 'p@ss/word', 'postgres://trunkline:p%40ss%2Fword@db:5432/trunkline'],
    ['redis://redis:6379', 'secret', 'redis://:secret@redis:6379'],
    ['rediss+sentinel://s1:26379,s2/mymaster/0', 'secret', 'rediss+sentinel://:secret@s1:26379,s2/mymaster/0'],
    ['postgres://u:p%40ss@db/d', 'p@ss', 'postgres://u:p%40ss@db/d'],
    ['postgres://u:other@db/d', 'p@ss', undefined],
  ])('joins %s', (url, password, joined) => expect(withPassword(url, password)).toBe(joined));

  it('is part of the URL that processes use', () => {
    const given = {
      DATABASE_URL: 'postgres://u@db/d',
      DATABASE_PASSWORD: 'p',
      QUEUE_URL: 'redis://r',
      QUEUE_PASSWORD: 'q',
    };
    expect(loadEnv(given, 'api')).toMatchObject({ DATABASE_URL: 'postgres://u:p@db/d', QUEUE_URL: 'redis://:q@r' });
    expect(() => loadEnv({ ...given, DATABASE_URL: 'postgres://u:x@db/d' })).toThrow(
      'DATABASE_PASSWORD: DATABASE_URL has another password: remove one of them.',
    );
  });
});

describe('a setting without its secret', () => {
  const s3 = 's3://bucket?endpoint=https://s3.example.com&region=eu';
  it.each<[Record<string, string>, string[]]>([
    [{}, []],
    [{ ANALYSIS_MODEL: 'anthropic:claude' }, ['ANTHROPIC_API_KEY']],
    [{ ANALYSIS_MODEL: 'anthropic:claude', ANTHROPIC_URL: 'http://gateway:80' }, []],
    [{ ANALYSIS_MODEL: 'none', SUMMARY_MODEL: 'gpt' }, ['SUMMARY_API_KEY', 'OPENAI_API_KEY']],
    [{ SUMMARY_MODEL: 'gpt', OPENAI_API_KEY: 'k' }, []],
    [{ STORAGE_URL: s3 }, ['AWS_SECRET_ACCESS_KEY']],
    [{ STORAGE_URL: s3, AWS_PROFILE: 'p' }, []],
    [{ STORAGE_URL: 's3://bucket?region=eu-central-1' }, []],
  ])('%j lacks %j', (given, names) => {
    expect(missingSecrets('dialer', loadEnv(given, 'dialer'), given).flatMap((lack) => lack.names)).toEqual(names);
    expect(missingSecrets('embedder', loadEnv(given, 'embedder'), given)).toEqual([]);
  });

  it('and secrets of other roles are named', () => {
    expect(surplusSecrets('embedder', ['SECRET_KEY'])).toEqual(['SECRET_KEY']);
    expect(surplusSecrets('worker', ['OIDC_CLIENT_SECRET', 'OPENAI_API_KEY'])).toEqual(['OIDC_CLIENT_SECRET']);
  });
});

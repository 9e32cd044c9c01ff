import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  buildHash,
  guideHash,
  isBorrowed,
  markBuilt,
  markGuideBuilt,
  markInstalled,
  needsBuild,
  needsGuide,
  needsInstall,
} from '../../scripts/fresh.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trunkline-setup-'));
  write('package-lock.json', '{"lockfileVersion":3}');
  write('apps/api/src/main.ts', 'start();');
});

afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function changedAt(path: string, second: number): void {
  utimesSync(join(root, path), second, second);
}

describe('whether to install', () => {
  it('installs on a fresh clone', () => expect(needsInstall(root)).toBe(true));

  it('does not install twice', () => {
    write('node_modules/.package-lock.json', '{}');
    markInstalled(root);
    expect(needsInstall(root)).toBe(false);
  });

  it('installs again when the lock file changed', () => {
    write('node_modules/.package-lock.json', '{}');
    markInstalled(root);
    write('package-lock.json', '{"lockfileVersion":4}');
    expect(needsInstall(root)).toBe(true);
  });

  it('installs again when npm was interrupted', () => {
    write('node_modules/nest/package.json', '{}');
    expect(needsInstall(root)).toBe(true);
  });

  it.each([
    ['after', 200, false],
    ['before', 100, true],
  ])('notices whether npm ran by hand %s the change of the lock file', (_, second, expected) => {
    write('node_modules/.package-lock.json', '{}');
    changedAt('node_modules/.package-lock.json', second);
    changedAt('package-lock.json', 150);
    expect(needsInstall(root)).toBe(expected);
  });
});

describe('a node_modules folder', () => {
  it('counts as own when it is missing', () => expect(isBorrowed(root)).toBe(false));

  it('counts as own when it is a folder', () => {
    write('node_modules/nest/package.json', '{}');
    expect(isBorrowed(root)).toBe(false);
  });

  it('counts as shared when it is a link, because npm ci would empty the target', () => {
    write('shared/nest/package.json', '{}');
    symlinkSync(join(root, 'shared'), join(root, 'node_modules'));
    expect(isBorrowed(root)).toBe(true);
  });
});

describe('whether to build', () => {
  beforeEach(() => {
    write('dist/main.js', 'start();');
    markBuilt(root, buildHash(root));
  });

  it('does not build twice for changed time stamps', () => {
    changedAt('apps/api/src/main.ts', 4_000_000_000);
    expect(needsBuild(root)).toBe(false);
  });

  it.each([
    ['a source has changed', 'apps/api/src/main.ts'],
    ['a source is new', 'libs/calls/src/queue/call-claims.service.ts'],
    ['the compiler options changed', 'tsconfig.json'],
    ['a dependency changed', 'package-lock.json'],
  ])('builds when %s', (_, path) => {
    write(path, '{"changed":true}');
    expect(needsBuild(root)).toBe(true);
  });

  it('builds when dist is gone', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(needsBuild(root)).toBe(true);
  });

  it('builds the guide alone when a page changed', () => {
    markGuideBuilt(root, guideHash(root));
    expect(needsGuide(root)).toBe(false);
    write('docs/tools.md', '# Tools');
    expect([needsBuild(root), needsGuide(root)]).toEqual([false, true]);
  });

  it('does not build for a changed test', () => {
    write('libs/calls/src/call-claims.spec.ts', 'it();');
    expect(needsBuild(root)).toBe(false);
  });

  it.each([
    'libs/client/dist/esm/index.js',
    'libs/client/trunkline-client-0.1.0.tgz',
    'libs/client/node_modules/a/index.js',
  ])('does not build again after npm pack wrote %s, which would replace dist of a running service', (path) => {
    write('libs/client/src/index.ts', 'export {};');
    markBuilt(root, buildHash(root));
    write(path, 'packed');
    expect(needsBuild(root)).toBe(false);
  });
});

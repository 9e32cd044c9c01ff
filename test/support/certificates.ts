import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TestCertificate {
  certFile: string;
  keyFile: string;
  cert: string;
  key: string;
}

/** Debian package: openssl. */
export const canMakeCertificates = (): boolean => spawnSync('openssl', ['version']).error === undefined;

/** A self-signed certificate of that name as PEM files in `folder`; valid for a day. */
export function makeCertificate(folder: string, name: string): TestCertificate {
  const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certFile, '-days', '1', ...subject], { stdio: 'pipe' });
  return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Not what it should be; the message is a sentence about the value. */
export class PemProblem extends Error {}

/** The text itself, or that of the file, whose path is relative to `folder`. @throws PemProblem */
export function pemText(source: string | { file: string }, folder: string): string {
  if (typeof source === 'string') return source;
  try {
    return readFileSync(resolve(folder, source.file), 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new PemProblem(`names a file that cannot be read (${code})`, { cause: error });
  }
}

/** @throws PemProblem unless the text is one certificate or several */
export function checkCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new PemProblem('holds no certificate in PEM');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new PemProblem('holds a certificate that cannot be read', { cause: error });
  }
}

/** @throws PemProblem unless it is an unencrypted private key, and the one of the first certificate */
export function checkKey(key: string, cert: string): void {
  const [own] = checkCertificates(cert);
  if (!own?.checkPrivateKey(privateKey(key))) throw new PemProblem('is not the key of the certificate');
}

function privateKey(pem: string): KeyObject {
  if (/ENCRYPTED/.test(pem))
    throw new PemProblem('is encrypted: give the key without a passphrase, it is sealed at rest');
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new PemProblem('holds no private key in PEM', { cause: error });
  }
}

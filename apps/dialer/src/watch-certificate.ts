import type { Env } from '@app/common';
import { beforeScrape, metrics } from '@app/metrics';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Tells when the certificate of SIP over TLS ends, whenever Prometheus asks: files are renewed without a restart. */
export function watchCertificate({ SIP_TLS_CERT: file }: Pick<Env, 'SIP_TLS_CERT'>): void {
  if (file === undefined) return;
  beforeScrape(async () => {
    const { validTo } = new X509Certificate(await readFile(file));
    metrics.sipCertificateExpires.set(Date.parse(validTo) / 1_000);
  });
}

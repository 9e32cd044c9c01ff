import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { SipLog } from './sip-log.js';

export interface TlsListening {
  /** 0: a free one. */
  port: number;
  /** PEM files: the certificate with its chain, its key, and the authorities whose client certificates are asked for. */
  certFile: string;
  keyFile: string;
  caFile?: string;
  /** How often the files are read for a renewed certificate. */
  recheckMs?: number;
}

interface ServerCertificate {
  cert: Buffer;
  key: Buffer;
  ca?: Buffer;
}

/** Read rather than watched: mounted secrets change by symbolic links that watchers do not follow. */
const RECHECK_MS = 60_000;

/** The certificate of the listener, read again when its files change, so that a renewal needs no restart. */
export class TlsCertificateFiles {
  private listener?: (certificate: ServerCertificate) => void;
  private timer?: NodeJS.Timeout;

  private constructor(
    private readonly files: TlsListening,
    private readonly log: SipLog,
    public current: ServerCertificate,
  ) {}

  /** @throws when a file cannot be read, or certificate and key do not fit */
  static async open(files: TlsListening, log: SipLog): Promise<TlsCertificateFiles> {
    const opened = new TlsCertificateFiles(files, log, await read(files));
    opened.timer = setInterval(() => void opened.recheck(), files.recheckMs ?? RECHECK_MS).unref();
    return opened;
  }

  onChange(listener: (certificate: ServerCertificate) => void): void {
    this.listener = listener;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async recheck(): Promise<void> {
    try {
      const now = await read(this.files);
      if (same(now, this.current)) return;
      this.current = now;
      this.listener?.(now);
      this.log.debug('the SIP TLS certificate was renewed', {});
    } catch (error) {
      // During a renewal certificate and key may not match: the old pair stays in use until they do.
      const { code, name } = error as NodeJS.ErrnoException;
      this.log.warn('the SIP TLS certificate cannot be renewed from its files', { code: code ?? name });
    }
  }
}

async function read({ certFile, keyFile, caFile }: TlsListening): Promise<ServerCertificate> {
  const [cert, key, ca] = await Promise.all([
    readFile(certFile),
    readFile(keyFile),
    caFile === undefined ? undefined : readFile(caFile),
  ]);
  const certificate = { cert, key, ...(ca && { ca }) };
  createSecureContext(certificate);
  return certificate;
}

function same(a: ServerCertificate, b: ServerCertificate): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca ?? NONE).equals(b.ca ?? NONE);
}

const NONE = Buffer.alloc(0);

import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { S3Location } from '@app/common';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ByteRange, type Storage, type StoredFile, StorageUnavailable } from './storage.js';

interface Place {
  Bucket: string;
  Key: string;
}

type Sdk = typeof import('@aws-sdk/client-s3');

const CONNECT_MS = 5_000;
/** Time without a byte. */
const SILENCE_MS = 30_000;
const TRIES = 3;
const PAUSE_MS = 200;

const isMissing = (error: unknown): boolean => (error as S3ServiceException).$metadata?.httpStatusCode === 404;
/** Errors of the service or of the connection are temporary; a refusal or missing credentials are not. */
const isTemporary = (error: unknown): boolean => {
  const { $metadata, name } = error as S3ServiceException;
  const status = $metadata?.httpStatusCode;
  return status === undefined ? name !== 'CredentialsProviderError' : status >= 500 || status === 429;
};

interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * Stores files in a bucket of S3 or of a compatible service. Without credentials the AWS SDK looks for them in its usual sources (profiles,
 * the role of the machine).
 */
export class S3Storage implements Storage {
  private opened: Promise<{ sdk: Sdk; client: S3Client }> | undefined;

  constructor(
    private readonly location: S3Location,
    private readonly credentials?: S3Credentials,
  ) {}

  /** Loaded at first use: loading the SDK takes 200 ms. */
  private sdk(): Promise<{ sdk: Sdk; client: S3Client }> {
    this.opened ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: clientOf(sdk, this.location, this.credentials),
    }));
    return this.opened;
  }

  async put(key: string, filePath: string): Promise<void> {
    const place = this.placeOf(key);
    const { size } = await stat(filePath);
    for (let tried = 1; !(await this.sent(place, { filePath, size, last: tried === TRIES })); tried++) {
      await delay(PAUSE_MS * tried);
    }
    await rm(filePath, { force: true });
  }

  /** Returns false if a retry may succeed. The SDK cannot retry by itself, because the stream was consumed. */
  private async sent(
    place: Place,
    { filePath, size, last }: { filePath: string; size: number; last: boolean },
  ): Promise<boolean> {
    const file = createReadStream(filePath);
    try {
      await this.request((sdk, client) =>
        client.send(new sdk.PutObjectCommand({ ...place, Body: file, ContentLength: size })),
      );
      return true;
    } catch (error) {
      if (last || !(error instanceof StorageUnavailable)) throw error;
      return false;
    } finally {
      file.destroy();
    }
  }

  async size(key: string): Promise<number | undefined> {
    const place = this.placeOf(key);
    try {
      const head = await this.request((sdk, client) => client.send(new sdk.HeadObjectCommand(place)));
      return head.ContentLength ?? 0;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<StoredFile | undefined> {
    const input = { ...this.placeOf(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) };
    try {
      const got = await this.request((sdk, client) => client.send(new sdk.GetObjectCommand(input)));
      if (!(got.Body instanceof Readable)) throw new Error('S3 answered without a body.');
      const whole = /\/(\d+)$/.exec(got.ContentRange ?? '')?.[1];
      return { stream: got.Body, size: Number(whole ?? got.ContentLength ?? 0) };
    } catch (error) {
      if (isMissing(error) && (error as Error).name !== 'NoSuchBucket') return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    const place = this.placeOf(key);
    await this.request((sdk, client) => client.send(new sdk.DeleteObjectCommand(place)));
  }

  /** Throws StorageUnavailable for temporary errors, and the SDK's error otherwise. */
  private async request<T>(send: (sdk: Sdk, client: S3Client) => Promise<T>): Promise<T> {
    const { sdk, client } = await this.sdk();
    try {
      return await send(sdk, client);
    } catch (error) {
      throw isTemporary(error) ? new StorageUnavailable(error) : error;
    }
  }

  private placeOf(key: string): Place {
    const { bucket, prefix } = this.location;
    return { Bucket: bucket, Key: prefix === '' ? checkKey(key) : `${prefix}/${checkKey(key)}` };
  }
}

/** Errors are thrown; the SDK would also write them to stdout, between the log lines. */
const nothing = (): void => undefined;
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

function clientOf(sdk: Sdk, { region, endpoint, pathStyle }: S3Location, credentials?: S3Credentials): S3Client {
  return new sdk.S3Client({
    // Other services have no regions, but the signature requires one.
    region: region ?? 'us-east-1',
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    forcePathStyle: pathStyle,
    maxAttempts: TRIES,
    logger: SILENT,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    // Checksums in trailers are specific to Amazon; other services reject them or store them in the file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Throws if the key leads outside the storage. */
function checkKey(key: string): string {
  const parts = key.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new Error('The storage key leaves the storage.');
  }
  return key;
}

/** A folder in an S3 bucket, as STORAGE_URL names it. */
export interface S3Location {
  bucket: string;
  /** Before every key: empty, or without a slash at its ends. */
  prefix: string;
  region?: string;
  /** Of a service that is not Amazon's. */
  endpoint?: string;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  pathStyle: boolean;
}

const PARAMETERS = ['region', 'endpoint', 'path_style'];
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** A folder on this machine, or an S3 location. @returns a sentence when STORAGE_URL is wrong. */
export function storageProblem(text: string, region?: string): string | undefined {
  if (text.startsWith('file:')) return undefined;
  if (!text.startsWith('s3:')) return 'must begin with file: or s3://';
  const location = s3Location(text);
  if (typeof location === 'string') return location;
  if (location.region ?? location.endpoint ?? region) return undefined;
  return 'needs ?region=… or AWS_REGION';
}

/** Reads `s3://bucket/prefix?region=…&endpoint=…&path_style=true`. @returns a sentence when it is wrong. */
export function s3Location(text: string): S3Location | string {
  if (!URL.canParse(text)) return 'must be s3://bucket/prefix';
  const url = new URL(text);
  if (url.username || url.password) return 'must not hold credentials: they are in AWS_ACCESS_KEY_ID and its like';
  if (!BUCKET.test(url.host)) return 'must name a bucket: 3 to 63 lower-case letters, digits, hyphens and dots';
  const wrong = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (wrong !== undefined) return `knows no ${wrong}, only ${PARAMETERS.join(', ')}`;
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint)) return 'needs an endpoint with http:// or https://';
  if (!/^[\w!.*'()/-]*$/.test(url.pathname)) return "must have a prefix of letters, digits and /!-_.*'()";
  const pathStyle = url.searchParams.get('path_style') ?? 'false';
  if (!/^(?:true|false)$/.test(pathStyle)) return 'needs path_style to be true or false';
  const region = url.searchParams.get('region');
  return {
    bucket: url.host,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
    ...(region !== null && { region }),
    ...(endpoint !== undefined && { endpoint }),
    pathStyle: pathStyle === 'true',
  };
}

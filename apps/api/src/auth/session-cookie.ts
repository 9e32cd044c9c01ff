import type { Env } from '@app/common';
import type { Request } from 'express';

interface CookieOptions {
  seconds: number;
  sameSite: 'Lax' | 'Strict';
}

/** A `__Host-` cookie: Secure, for all paths of this host only, unreadable for scripts. */
export const cookie = (name: string, value: string, { seconds, sameSite }: CookieOptions): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=${sameSite}`;

/** The public address of the service, without a final slash: PUBLIC_URL, or the host of the request. */
export const publicBase = (request: Request, { PUBLIC_URL }: Pick<Env, 'PUBLIC_URL'>): string =>
  PUBLIC_URL?.replace(/\/+$/, '') ?? `${request.protocol}://${request.get('host') ?? 'localhost'}`;

import type { Env } from '@app/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';

/** Who opens the bare address in a browser meets the console, or Swagger UI where there is none. */
export function serveFrontDoor(app: NestExpressApplication, { CONSOLE, DOCS }: Pick<Env, 'CONSOLE' | 'DOCS'>): void {
  const page = CONSOLE ? 'console/' : DOCS ? 'docs' : undefined;
  if (page === undefined) return;
  const express: Express = app.getHttpAdapter().getInstance();
  // Relative, for a proxy may have put a path before ours.
  express.get('/', (_request, response) => response.redirect(302, page));
}

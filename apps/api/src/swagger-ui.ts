import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';

const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** On a phone a description has no room beside its tag, and the column of links, which the document has none of, none either. */
const STYLES = `@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { order: 1; flex: 0 0 100%; padding: 0; }
  .swagger-ui .response-col_links { display: none; }
}`;

/** Swagger UI at /docs, the document at /openapi.json. Tags are in the order of the document, and closed. */
export function serveDocs(app: NestExpressApplication, document: () => OpenAPIObject): void {
  app.use('/docs', withViewport);
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Trunkline API',
    customCss: STYLES,
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, docExpansion: 'none' },
  });
}

/** The page of @nestjs/swagger has no viewport, so a phone shows it at desktop width, and no option adds one. */
function withViewport(_request: Request, response: Response, next: NextFunction): void {
  const send = response.send.bind(response);
  response.send = (body: unknown) =>
    send(isPage(response, body) ? body.replace('<head>', `<head>\n  ${VIEWPORT}`) : body);
  next();
}

const isPage = (response: Response, body: unknown): body is string =>
  typeof body === 'string' && String(response.get('content-type')).startsWith('text/html');

import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';

const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** On a phone there is no room for the description beside its tag, nor for the column of links, which is always empty. */
const STYLES = `@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { order: 1; flex: 0 0 100%; padding: 0; }
  .swagger-ui .response-col_links { display: none; }
}`;

/** Serves Swagger UI at /docs with all tags collapsed, and the document at /openapi.json. */
export function serveSwaggerUi(app: NestExpressApplication, document: () => OpenAPIObject): void {
  app.use('/docs', withViewport);
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Trunkline API',
    customCss: STYLES,
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, docExpansion: 'none' },
  });
}

/** The page of @nestjs/swagger has no viewport, so phones show it at desktop width; no option adds one. */
function withViewport(_request: Request, response: Response, next: NextFunction): void {
  const send = response.send.bind(response);
  response.send = (body: unknown) =>
    send(isPage(response, body) ? body.replace('<head>', `<head>\n  ${VIEWPORT}`) : body);
  next();
}

const isPage = (response: Response, body: unknown): body is string =>
  typeof body === 'string' && String(response.get('content-type')).startsWith('text/html');

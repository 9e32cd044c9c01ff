import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { COMPONENT, withSharedErrors } from './shared-errors.js';

const documented = (...responses: Record<string, object>[]) =>
  ({
    openapi: '3.1.0',
    info: { title: '', version: '' },
    paths: Object.fromEntries(responses.map((own, index) => [`/${index}`, { get: { responses: own } }])),
    components: { schemas: { ErrorDto: { type: 'object' } } },
  }) as unknown as OpenAPIObject;

const error = (component: string, description: string, ...mediaTypes: string[]) => ({
  [COMPONENT]: component,
  description,
  content: Object.fromEntries(['application/json', ...mediaTypes].map((type) => [type, {}])),
});

describe('withSharedErrors', () => {
  it('moves an error response of several operations into one component', () => {
    const ok = { description: 'The call.' };
    const document = withSharedErrors(
      documented({ 200: ok, 404: error('NotFound', 'None.') }, { 404: error('NotFound', 'None.') }),
    );
    const reference = { $ref: '#/components/responses/NotFound' };
    expect(document.paths['/0']?.get?.responses).toEqual({ 200: ok, 404: reference });
    expect(document.paths['/1']?.get?.responses).toEqual({ 404: reference });
    expect(document.components).toEqual({
      schemas: { ErrorDto: { type: 'object' } },
      responses: { NotFound: { description: 'None.', content: { 'application/json': {} } } },
    });
  });

  it('gives a response with further media types a component of its own', () => {
    const document = documented({ 404: error('NotFound', 'None.') }, { 404: error('NotFound', 'None.', 'text/csv') });
    expect(Object.keys(withSharedErrors(document).components?.responses ?? {})).toEqual(['NotFound', 'NotFoundCsv']);
  });

  it.each([
    [
      'two different responses of one name',
      'Two error responses of the API are named NotFound.',
      documented({ 404: error('NotFound', 'None.') }, { 404: error('NotFound', 'No such call.') }),
    ],
    [
      'a media type without a suffix',
      'Error responses with the media type image/png need a suffix for the name of their component.',
      documented({ 404: error('NotFound', 'None.', 'image/png') }),
    ],
  ])('refuses %s', (_, message, document) => {
    expect(() => withSharedErrors(document)).toThrow(message);
  });
});

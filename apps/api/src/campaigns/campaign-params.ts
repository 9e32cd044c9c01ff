import { applyDecorators, Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { PathId, UuidPipe } from '../http/validation/path-params.js';

export const CampaignId = (): ParameterDecorator => PathId('campaignId', 'Campaign');
export const ContactId = (): ParameterDecorator => Param('contactId', new UuidPipe('Contact'));
export const ImportId = (): ParameterDecorator => Param('importId', new UuidPipe('Import'));

export const ApiCampaignId = (): MethodDecorator =>
  ApiParam({
    name: 'campaignId',
    description: 'The `id` of the campaign.',
    schema: { type: 'integer', minimum: 1, example: 1 },
  });

const uuidParam = (name: string, description: string): MethodDecorator =>
  applyDecorators(ApiCampaignId(), ApiParam({ name, description, schema: { type: 'string', format: 'uuid' } }));

export const ApiContactId = (): MethodDecorator => uuidParam('contactId', 'The `id` of the contact.');
export const ApiImportId = (): MethodDecorator => uuidParam('importId', 'The `id` of the import.');

import { applyDecorators } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { PathId, PathUuid } from '../http/validation/path-params.js';

export const CampaignId = (): ParameterDecorator => PathId('campaignId', 'Campaign', 'campaigns');
export const ContactId = (): ParameterDecorator => PathUuid('contactId', 'Contact', 'campaign_contacts');
export const ImportId = (): ParameterDecorator => PathUuid('importId', 'Import', 'campaign_imports');

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

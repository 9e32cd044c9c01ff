import {
  type Catalog,
  CATALOG_STATUSES,
  CATALOG_VENDORS,
  type CatalogVendor,
  MODEL_USES,
  type ModelUse,
} from '@app/agents';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { must } from '../http/validation/field-validators.js';

const MAX_ID = 255;

export class VendorQueryDto {
  @ApiProperty({
    enum: [...CATALOG_VENDORS],
    description: 'A provider of agents, or the vendor of a leg of a pipeline.',
    example: 'elevenlabs',
  })
  @IsIn(CATALOG_VENDORS, { message: must.beOneOf })
  vendor: CatalogVendor;
}

export class VoiceQueryDto extends VendorQueryDto {
  @ApiProperty({
    type: 'string',
    maxLength: MAX_ID,
    description: 'The `id` of a voice of the list.',
    example: 'JBFqnCBsd6RMkjVDRZzb',
  })
  @MaxLength(MAX_ID, { message: must.beShort(MAX_ID) })
  @IsString({ message: must.beText })
  voice: string;
}

class VendorModelDto {
  @ApiProperty({ type: 'string', description: 'The value of the field `model`.', example: 'gpt-realtime-2.1' })
  id: string;

  @ApiProperty({ type: 'string', description: 'Name for people.', example: 'gpt-realtime-2.1' })
  name: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...MODEL_USES] },
    description: 'What the model can be used for: a speech-to-speech conversation, or a leg of a pipeline.',
    example: ['conversation'],
  })
  uses: readonly ModelUse[];
}

class VendorVoiceDto {
  @ApiProperty({ type: 'string', description: 'The value of the field `voice`.', example: 'JBFqnCBsd6RMkjVDRZzb' })
  id: string;

  @ApiProperty({ type: 'string', description: 'Name for people.', example: 'George' })
  name: string;

  @ApiProperty({
    type: 'string',
    description: 'Accent, age and character in the words of the vendor; may be empty.',
    example: 'male, middle aged, british',
  })
  description: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'Languages as the vendor writes them. Empty: any, or unknown.',
    example: ['en'],
  })
  languages: readonly string[];

  @ApiProperty({ type: 'boolean', description: 'Whether a sample can be played.', example: true })
  has_sample: boolean;
}

class VendorCatalogDto {
  @ApiProperty({
    enum: [...CATALOG_STATUSES],
    description:
      '`listed`: the lists are those of the vendor. `not_listed`: the vendor publishes no list. `not_configured`: the installation has no key or address for the vendor. `unavailable`: the vendor did not answer. Except for `listed`, both lists are empty; any name can be stored in every case.',
    example: 'listed',
  })
  status: Catalog['status'];

  @ApiProperty({ type: 'string', nullable: true, description: 'Why a list is missing.', example: null })
  message: string | null;

  @ApiProperty({ type: [VendorModelDto], description: 'Models, at most 1,000.' })
  models: VendorModelDto[];

  @ApiProperty({ type: [VendorVoiceDto], description: 'Voices, at most 1,000.' })
  voices: VendorVoiceDto[];
}

export class FoundVendorCatalogDto {
  @ApiProperty({ type: VendorCatalogDto, description: 'The models and voices.' })
  data: VendorCatalogDto;
}

export const catalogOf = ({ status, message, models, voices }: Catalog): VendorCatalogDto => ({
  status,
  message,
  models: models.map(({ id, name, uses }) => ({ id, name, uses })),
  voices: voices.map(({ id, name, description, languages, sample }) => ({
    id,
    name,
    description,
    languages,
    has_sample: sample !== undefined,
  })),
});

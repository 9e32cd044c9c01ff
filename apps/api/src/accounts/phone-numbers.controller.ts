import { AccountsService } from '@app/accounts';
import { BearerGuard, WrongTokensGuard } from '@app/auth';
import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiProperty, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { AccountId, ApiOpenId } from '../auth/auth.decorators.js';
import { FOREIGN_PAGE } from '../auth/session.controller.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { BodyGuard } from '../http/server/body.guard.js';
import { IsCountry, must } from '../http/validation/field-validators.js';

class PhoneNumberQueryDto {
  @ApiProperty({
    type: 'string',
    maxLength: 255,
    description: 'Text that is meant as a phone number. Encode `+` as `%2B`.',
    example: '030 123456',
  })
  @MaxLength(255, { message: must.beShort(255) })
  @IsString({ message: must.beText })
  number: string;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2,
    description:
      'Country of numbers without a country code, ISO 3166-1 alpha-2. Absent: the `default_country` of the account.',
    example: 'DE',
  })
  @IsCountry()
  @IsOptional()
  country?: string;
}

class PhoneNumberDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The number in E.164 format. Null: the text is not a phone number.',
    example: '+4930123456',
  })
  number: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why the text is not a phone number.',
    example: null,
  })
  problem: string | null;
}

class FoundPhoneNumberDto {
  @ApiProperty({ type: PhoneNumberDto, description: 'What the text is.' })
  data: PhoneNumberDto;
}

/** Reads numbers as people write them, for forms: all other requests take E.164. */
@ApiTags('Account')
@Controller('api/v1/phone-numbers')
@UseGuards(WrongTokensGuard, BearerGuard, BodyGuard)
@ApiBearerAuth()
@ApiOpenId()
@ApiErrors(401, [403, 'ForeignPage', FOREIGN_PAGE], 429)
export class PhoneNumbersController {
  constructor(private readonly accounts: AccountsService) {}

  @Get('parse')
  @ApiOperation({
    operationId: 'parsePhoneNumber',
    summary: 'Parse a phone number',
    description:
      'Returns a phone number in E.164 format, from a text as people or spreadsheets write it: with punctuation, or as it is dialled within the default country. Every token may use it.',
  })
  @ApiResponse({ status: 200, type: FoundPhoneNumberDto, description: 'What the text is.' })
  @ApiErrors(422)
  async parse(
    @AccountId() accountId: number,
    @Query() { number, country }: PhoneNumberQueryDto,
  ): Promise<FoundPhoneNumberDto> {
    // `+` in a query means a space.
    const text = number.replace(/^ (?=\d)/, '+');
    return { data: await this.accounts.readNumber(accountId, text, country) };
  }
}

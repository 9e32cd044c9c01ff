import { AccountsService } from '@app/accounts';
import type { Acting } from '@app/audit';
import { Body, Controller, Get, Patch, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AccountId, Actor, Scopes } from '../auth/auth.decorators.js';
import { ApiErrors } from '../http/responses/api-errors.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { AccountWithMessageDto, FoundAccountDto, UPDATE_ACCOUNT_EXAMPLES, UpdateAccountDto } from './account.dto.js';

@ApiTags('Account')
@Controller('api/v1/account')
export class AccountController {
  constructor(private readonly accounts: AccountsService) {}

  @Get()
  @Scopes('account:read')
  @ApiOperation({
    operationId: 'getAccount',
    summary: 'Retrieve the account',
    description: 'Returns limits, retention and usage of the account of the token.',
  })
  @ApiResponse({ status: 200, type: FoundAccountDto, description: 'The account.' })
  async find(@AccountId() accountId: number): Promise<FoundAccountDto> {
    return { data: await this.accounts.find(accountId) };
  }

  @Patch()
  @Scopes('account:write')
  @ApiOperation({
    operationId: 'updateAccount',
    summary: 'Update the account',
    description:
      'Updates the given limits and retention times. For operators: `*` does not include the scope `account:write`, which is granted by name (`tokens issue --scopes account:read,account:write`).',
  })
  @ApiBody({ type: UpdateAccountDto, examples: UPDATE_ACCOUNT_EXAMPLES })
  @ApiResponse({ status: 200, type: AccountWithMessageDto, description: 'The account was updated.' })
  @ApiErrors(400, 413, 415, 422)
  async update(
    @Actor() who: Acting,
    @Body() body: UpdateAccountDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountWithMessageDto> {
    const { view, ignored } = await this.accounts.update(who, body);
    addIgnoredFields(response, ignored);
    return { message: 'Account updated successfully.', data: view };
  }
}

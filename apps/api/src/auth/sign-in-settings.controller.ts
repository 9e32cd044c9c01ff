import { SignInSettingsService } from '@app/accounts';
import type { Acting } from '@app/audit';
import { Body, Controller, Delete, Get, Put, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../http/api-errors.js';
import { addIgnoredFields } from '../http/ignored-fields.js';
import { AccountId, Actor, Scopes } from './auth.decorators.js';
import {
  FoundSignInDto,
  SIGN_IN_EXAMPLES,
  SignInRemovedDto,
  SignInSettingsDto,
  SignInWithMessageDto,
} from './sign-in-settings.dto.js';

@ApiTags('Sign-in')
@Controller('api/v1/account/sign-in')
export class SignInSettingsController {
  constructor(private readonly settings: SignInSettingsService) {}

  @Get()
  @Scopes('account:read')
  @ApiOperation({
    operationId: 'getSignIn',
    summary: 'Retrieve the sign-in settings',
    description: 'Returns the issuer and the roles of people. The client secret is never returned.',
  })
  @ApiResponse({ status: 200, type: FoundSignInDto, description: 'The settings.' })
  @ApiErrors([404, 'Sign-in not found.'])
  async find(@AccountId() accountId: number): Promise<FoundSignInDto> {
    return { data: await this.settings.find(accountId) };
  }

  @Put()
  @Scopes('account:write')
  @ApiOperation({
    operationId: 'replaceSignIn',
    summary: 'Replace the sign-in settings',
    description:
      'Sets the issuer and the roles of people as a whole; an absent client secret stays. For operators: `*` does not include the scope `account:write`, because the settings decide who may use the account.',
  })
  @ApiBody({ type: SignInSettingsDto, examples: SIGN_IN_EXAMPLES })
  @ApiResponse({ status: 200, type: SignInWithMessageDto, description: 'The settings were replaced.' })
  @ApiErrors(400, 413, 415, 422)
  async replace(
    @Actor() who: Acting,
    @Body() body: SignInSettingsDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInWithMessageDto> {
    const { view, ignored } = await this.settings.replace(who, body);
    addIgnoredFields(response, ignored);
    return { message: 'Sign-in updated successfully.', data: view };
  }

  @Delete()
  @Scopes('account:write')
  @ApiOperation({
    operationId: 'deleteSignIn',
    summary: 'Remove the sign-in settings',
    description: 'People can no longer sign in, and their sessions end within 5 s. Tokens are not affected.',
  })
  @ApiResponse({ status: 200, type: SignInRemovedDto, description: 'The settings were removed.' })
  @ApiErrors([404, 'Sign-in not found.'])
  async remove(@Actor() who: Acting): Promise<SignInRemovedDto> {
    await this.settings.remove(who);
    return { message: 'Sign-in removed successfully.' };
  }
}

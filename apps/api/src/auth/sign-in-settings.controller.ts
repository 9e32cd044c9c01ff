import { SignInSettingsService } from '@app/accounts';
import type { Acting } from '@app/audit';
import { SignInTestService } from '@app/auth';
import type { Env } from '@app/common';
import { ENV } from '@app/settings';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../http/api-errors.js';
import { addIgnoredFields } from '../http/ignored-fields.js';
import { AccountId, Actor, Scopes } from './auth.decorators.js';
import { callbackUri } from './session-cookie.js';
import {
  FoundSignInDto,
  SIGN_IN_EXAMPLES,
  SignInRemovedDto,
  SignInSettingsDto,
  SignInTestedDto,
  SignInWithMessageDto,
} from './sign-in-settings.dto.js';

@ApiTags('Sign-in')
@Controller('api/v1/account/sign-in')
export class SignInSettingsController {
  constructor(
    private readonly settings: SignInSettingsService,
    private readonly tests: SignInTestService,
    @Inject(ENV) private readonly env: Env,
  ) {}

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

  @Post('test')
  @HttpCode(200)
  @Scopes('account:read')
  @ApiOperation({
    operationId: 'testSignIn',
    summary: 'Test the sign-in settings',
    description:
      'Tests the stored settings without a person: whether browsers keep sessions of the address, the issuer answers, and it accepts the client with its secret. Concurrent tests share one result, which is returned again for 10 s.',
  })
  @ApiResponse({ status: 200, type: SignInTestedDto, description: 'The results.' })
  @ApiErrors([404, 'Sign-in not found.'])
  async test(@AccountId() accountId: number, @Req() request: Request): Promise<SignInTestedDto> {
    const redirectUri = callbackUri(request, this.env);
    const checks = await this.tests.test(accountId, redirectUri);
    return { data: { passed: checks.every(({ result }) => result !== 'failed'), redirect_uri: redirectUri, checks } };
  }
}

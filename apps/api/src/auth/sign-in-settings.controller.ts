import { SignInSettingsService, type SignInView, withoutSlash } from '@app/accounts';
import type { Acting } from '@app/audit';
import { IssuersService, SignInTestService } from '@app/auth';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiErrors } from '../http/responses/api-errors.js';
import { addIgnoredFields } from '../http/validation/ignored-fields.js';
import { AccountId, Actor, Scopes } from './auth.decorators.js';
import { publicBase } from './session-cookie.js';
import {
  FoundSignInDto,
  FoundSignInAddressesDto,
  SIGN_IN_EXAMPLES,
  SignInAddressesQueryDto,
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
    private readonly issuers: IssuersService,
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
  @ApiErrors([404, 'SignInNotFound', 'Sign-in not found.'])
  async find(@AccountId() accountId: number, @Req() request: Request): Promise<FoundSignInDto> {
    return { data: this.shown(await this.settings.find(accountId), request) };
  }

  @Get('addresses')
  @Scopes('account:read')
  @ApiOperation({
    operationId: 'getSignInAddresses',
    summary: 'Retrieve the addresses for an issuer',
    description:
      'Returns what the registration of the console at an issuer needs, also before the settings are stored. Each issuer has a redirect URI of its own.',
  })
  @ApiResponse({ status: 200, type: FoundSignInAddressesDto, description: 'The addresses.' })
  @ApiErrors(422)
  addresses(@Query() { issuer }: SignInAddressesQueryDto, @Req() request: Request): FoundSignInAddressesDto {
    const base = publicBase(request, this.env);
    return {
      data: {
        redirect_uri: this.issuers.redirectUri(base, issuer === undefined ? undefined : withoutSlash(issuer)),
        post_logout_redirect_uri: `${base}/console/`,
        back_channel_logout_uri: `${base}/sign-in/back-channel-logout`,
      },
    };
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
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SignInWithMessageDto> {
    const { view, ignored } = await this.settings.replace(who, body);
    addIgnoredFields(response, ignored);
    return { message: 'Sign-in updated successfully.', data: this.shown(view, request) };
  }

  @Delete()
  @Scopes('account:write')
  @ApiOperation({
    operationId: 'deleteSignIn',
    summary: 'Remove the sign-in settings',
    description: 'People can no longer sign in, and their sessions end within 5 s. Tokens are not affected.',
  })
  @ApiResponse({ status: 200, type: SignInRemovedDto, description: 'The settings were removed.' })
  @ApiErrors([404, 'SignInNotFound', 'Sign-in not found.'])
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
  @ApiErrors([404, 'SignInNotFound', 'Sign-in not found.'])
  async test(@AccountId() accountId: number, @Req() request: Request): Promise<SignInTestedDto> {
    const { redirectUri, checks } = await this.tests.test(accountId, publicBase(request, this.env));
    return { data: { passed: checks.every(({ result }) => result !== 'failed'), redirect_uri: redirectUri, checks } };
  }

  private shown(view: SignInView, request: Request): FoundSignInDto['data'] {
    const redirectUri = this.issuers.redirectUri(publicBase(request, this.env), view.issuer ?? undefined);
    return { ...view, redirect_uri: redirectUri };
  }
}

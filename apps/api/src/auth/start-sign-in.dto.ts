import { IsBoolean, IsOptional, IsString } from 'class-validator';
import { must } from '../http/validation/field-validators.js';
import { EmptyToUndefined } from '../http/validation/list-filters.js';

export class StartSignInDto {
  /** Absent: the organisation of the installation. */
  @IsString({ message: must.beText })
  @IsOptional()
  @EmptyToUndefined()
  organisation?: string;

  /** Page of the console to return to. */
  @IsString({ message: must.beText })
  @IsOptional()
  place?: string;

  /** The person agreed to leave the running session. */
  @IsBoolean({ message: must.beTrueOrFalse })
  @IsOptional()
  replace_session?: boolean;
}

import { DefaultValuePipe, ParseBoolPipe, Query } from '@nestjs/common';

/** `?locked=false` leaves the lock out, to show what happens then. */
export const Locked = () => Query('locked', new DefaultValuePipe(true), ParseBoolPipe);

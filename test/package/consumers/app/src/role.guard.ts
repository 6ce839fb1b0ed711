import { CanActivate, ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

export const Role = (role: string) => SetMetadata('role', role);

/** Finds the role on the handler, which is the wrapper that the lock put on the method. */
@Injectable()
export class RoleGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const role = this.reflector.get<string>('role', context.getHandler());
    return context.switchToHttp().getRequest().headers['x-role'] === role;
  }
}

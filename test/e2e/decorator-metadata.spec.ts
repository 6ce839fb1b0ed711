import { type CanActivate, Injectable, SetMetadata, UseGuards } from '@nestjs/common';
import { GUARDS_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import { describe, expect, it } from 'vitest';
import { currentLock, DistributedLock } from '../../lib/index.js';
import { bootWith } from '../support/boot-app.js';

class Guard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

/** As some libraries do: a note on the function itself. */
function Note(text: string): MethodDecorator {
  return (_target, _name, descriptor) => {
    (descriptor.value as { note?: string }).note = text;
  };
}

@Injectable()
class Orders {
  @SetMetadata('above', 1)
  @UseGuards(Guard)
  @DistributedLock({ key: 'order:{id}' })
  @SetMetadata('below', 2)
  @Note('below')
  async ship(id: string, _carrier: Date, _express = false): Promise<string> {
    return `${id} in ${currentLock().key}`;
  }

  @DistributedLock({ key: 'order:{id}' })
  @UseGuards(Guard)
  async guarded(id: string): Promise<string> {
    return id;
  }
}

describe('metadata', () => {
  it("5. keeps the method's name and length", () => {
    expect(Orders.prototype.ship.name).toBe('ship');
    expect(Orders.prototype.ship).toHaveLength(2);
  });

  it('5. keeps the metadata of decorators above and below, and what they put on the function', () => {
    const reflector = new Reflector();
    expect(reflector.get('above', Orders.prototype.ship)).toBe(1);
    expect(reflector.get('below', Orders.prototype.ship)).toBe(2);
    expect(Orders.prototype.ship).toHaveProperty('note', 'below');
    expect(Reflect.getMetadata(GUARDS_METADATA, Orders.prototype.ship)).toEqual([Guard]);
    expect(Reflect.getMetadata(GUARDS_METADATA, Orders.prototype.guarded)).toEqual([Guard]);
  });

  it('5. keeps what TypeScript recorded of the types', () => {
    const types = Reflect.getMetadata('design:paramtypes', Orders.prototype, 'ship') as unknown[];
    expect(types.slice(0, 2)).toEqual([String, Date]);
    expect(Reflect.getMetadata('design:returntype', Orders.prototype, 'ship')).toBe(Promise);
  });

  it('5. stays a method like any other: not enumerable, and still replaceable', () => {
    const { value: _value, ...flags } = Object.getOwnPropertyDescriptor(Orders.prototype, 'ship') ?? {};
    expect(flags).toEqual({ enumerable: false, configurable: true, writable: true });
  });

  it('5. locks between other decorators', async () => {
    const { service } = await bootWith(Orders);
    expect(await service.ship('7', new Date())).toBe('7 in order:7');
  });
});

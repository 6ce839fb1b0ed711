import { BadRequestException, type PipeTransform } from '@nestjs/common';

/** A whole number of the query, within limits. */
export class NumberBetween implements PipeTransform<string | undefined, number> {
  constructor(
    private readonly least: number,
    private readonly most: number,
    private readonly otherwise: number,
  ) {}

  transform(text: string | undefined, { data }: { readonly data?: string | undefined }): number {
    const number = text === undefined ? this.otherwise : Number(text);
    if (Number.isInteger(number) && number >= this.least && number <= this.most) return number;
    throw new BadRequestException(`${data} has to be a whole number from ${this.least} to ${this.most}`);
  }
}

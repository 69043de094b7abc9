/** The order in which the form offers the types: what most people look for first. */
import type { ChannelType } from './channel.ts';

const families = {
  common: [1, 3, 14, 24, 41, 33, 20],
  domestic: [43, 17, 25, 26, 16, 45, 46, 15, 23, 18, 19, 31, 35, 40],
  other: [34, 42, 38, 39, 11],
  hosted: [4, 47, 44, 21, 22, 37, 2, 5, 36],
  custom: [8],
} as const;

type Family = keyof typeof families;

interface FamilyOfTypes {
  family: Family;
  types: ChannelType[];
}

/** The types that there are, by family; one that no family names stands with the others. */
export function typeFamilies(types: readonly ChannelType[]): FamilyOfTypes[] {
  const names = Object.keys(families) as Family[];
  const familyOf = ({ type }: ChannelType): Family =>
    names.find((name) => (families[name] as readonly number[]).includes(type)) ?? 'other';
  const place = (family: Family, { type }: ChannelType) => {
    const at = (families[family] as readonly number[]).indexOf(type);
    return at < 0 ? Number.MAX_SAFE_INTEGER : at;
  };
  return names
    .map((family) => ({
      family,
      types: types
        .filter((one) => familyOf(one) === family)
        .sort((a, b) => place(family, a) - place(family, b)),
    }))
    .filter(({ types }) => types.length > 0);
}

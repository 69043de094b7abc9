/** One address in every spelling in which readers of addresses find it: they pass over what cannot be seen. */
export const spelled = (address: string): Record<string, string> => {
  const [scheme = '', rest = ''] = address.split(/:(.*)/s);
  const [first = '', ...others] = scheme;
  const after = (blanks: string): string => `${first}${blanks}${others.join('')}:${rest}`;
  return {
    plain: address,
    'a blank before': ` ${address}`,
    'a line end before': `\n${address}`,
    'blanks before': '\n'.repeat(600) + address,
    'a no-break space before': `\u00a0${address}`,
    'a line end inside': after('\n'),
    'blanks inside': after('\n\t'.repeat(300)),
    'a blank behind the scheme': `${scheme} :${rest}`,
    capitals: `${scheme.toUpperCase()}:${rest}`,
  };
};

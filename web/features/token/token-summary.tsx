import { useTranslation } from '@/lib/use-translation.ts';
import { modelsOf, type Token } from './token.ts';

/** `Token ci · group default · 3 models`, under a drawer's title. */
export function TokenSummary({ token }: { token: Token }) {
  const { t } = useTranslation();
  const models = modelsOf(token);
  return t('token.codeSub', {
    name: token.name,
    group: token.group || t('token.ownGroup'),
    models: models ? t('token.codeModels', { count: models.length }) : t('token.codeAllModels'),
  });
}

/**
 * Where a vendor asks other prices inside China than outside. The table of default prices goes by the model and knows no
 * address: it has the list from outside, which is the dearer, so that nothing is sold below cost wherever it is bought.
 * Whoever keeps the default address pays the vendor less than his users pay him, and is told so in the channel's form.
 */
export const pricedAbroad = (
  models: { zh: string; en: string },
  list: { zh: string; en: string },
  host: string,
) => ({
  zh: `${models.zh}的默认价格是${list.zh}的美元价格；默认地址 ${host} 按人民币计价，通常低得多，使用该地址时请自行设定价格。`,
  en: `The default prices of ${models.en} are ${list.en}, in US dollars. The default address, ${host}, bills in yuan and mostly far less: set prices of your own where you use it.`,
});

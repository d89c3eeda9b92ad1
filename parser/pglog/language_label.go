package pglog

import "github.com/pgassay/pgassay/parser/record"

// severityIn knows the words that PostgreSQL's translations print for a severity
// where they differ from English: German, French, Spanish, Brazilian Portuguese,
// Italian, Japanese, Russian and Chinese, of versions 10 to 18.
func severityIn(word []byte) record.Severity {
	switch string(word) {
	case "СООБЩЕНИЕ", "日志", "ログ":
		return record.SeverityLog
	case "FEHLER", "ERREUR", "ERRO", "ERRORE", "エラー", "ОШИБКА", "错误":
		return record.SeverityError
	case "FATALE", "致命的エラー", "ВАЖНО", "致命错误":
		return record.SeverityFatal
	case "PANIK", "PANIQUE", "PÂNICO", "PANICO", "パニック", "ПАНИКА", "比致命错误还过分的错误":
		return record.SeverityPanic
	case "WARNUNG", "ATTENTION", "AVISO", "ADVERTENCIA", "ATTENZIONE", "警告", "ПРЕДУПРЕЖДЕНИЕ":
		return record.SeverityWarning
	case "HINWEIS", "NOTA", "NOTIFICA", "注釈", "ЗАМЕЧАНИЕ", "注意":
		return record.SeverityNotice
	case "INFORMACIÓN", "情報", "ИНФОРМАЦИЯ", "信息":
		return record.SeverityInfo
	case "DEPURAÇÃO", "DEPURACIÓN", "デバッグ", "ОТЛАДКА", "调试":
		return record.SeverityDebug
	}
	return record.SeverityUnknown
}

// partIn knows the labels of further parts of an entry in the same languages.
func partIn(word []byte) label {
	switch string(word) {
	case "DÉTAIL", "DETALLE", "DETALHE", "DETTAGLI", "詳細", "ПОДРОБНОСТИ", "详细信息", "描述":
		return labelDetail
	case "TIPP", "ASTUCE", "SUGERENCIA", "DICA", "SUGGERIMENTO", "ヒント", "ПОДСКАЗКА", "提示":
		return labelHint
	case "ANFRAGE", "REQUÊTE", "CONSULTA", "問い合わせ", "クエリ", "ЗАПРОС", "查询":
		return labelQuery
	case "ZUSAMMENHANG", "CONTEXTE", "CONTEXTO", "CONTESTO", "コンテキスト", "文脈", "КОНТЕКСТ", "上下文", "背景":
		return labelContext
	case "ORT", "EMPLACEMENT", "UBICACIÓN", "LOCAL", "POSIZIONE", "場所", "ПОЛОЖЕНИЕ", "位置":
		return labelLocation
	case "PILHA", "バックトレース", "СТЕК", "堆栈":
		return labelBacktrace
	case "ANWEISUNG", "INSTRUCTION", "SENTENCIA", "COMANDO", "ISTRUZIONE", "文", "ステートメント", "ОПЕРАТОР", "语句":
		return labelStatement
	}
	return labelNone
}

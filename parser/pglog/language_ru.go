package pglog

// russian is PostgreSQL's ru.po.
func russian() *language {
	return &language{
		name:     "Russian",
		messages: append(russianEnds(), russianMessages()...),
		lines:    russianVacuum(),
		details: []translation{
			{"Завершившийся процесс выполнял действие: {1}", "Failed process was running: {1}"},
			{"параметры: {1}", "parameters: {1}"},
			{"Параметры: {1}", "parameters: {1}"},
			{"подготовка: {1}", "prepare: {1}"},
		},
	}
}

func russianMessages() []translation {
	return []translation{
		{"продолжительность: {#1} мс", "duration: {1} ms"},
		{"продолжительность: {#1} мс, оператор: {2}", "duration: {1} ms  statement: {2}"},
		{"продолжительность: {#1} мс, разбор {2}: {3}", "duration: {1} ms  parse {2}: {3}"},
		{"продолжительность: {#1} мс, сообщение Bind {2}: {3}", "duration: {1} ms  bind {2}: {3}"},
		{"продолжительность: {#1} мс  выполнение выборки из {2}: {3}", "duration: {1} ms  execute fetch from {2}: {3}"},
		{"продолжительность: {#1} мс  выполнение {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"продолжительность: {#1} мс, выполнение {2}: {3}", "duration: {1} ms  execute {2}: {3}"},
		{"оператор: {1}", "statement: {1}"},
		{"выполнение выборки из {1}: {2}", "execute fetch from {1}: {2}"},
		{"выполнение {1}: {2}", "execute {1}: {2}"},
		{`временный файл: путь "{1}", размер {#2}`, `temporary file: path "{1}", size {2}`},
		{`процесс {#1} продолжает ожидать в режиме {2} блокировку "{3}" в течение {#4} мс`, "process {1} still waiting for {2} on {3} after {4} ms"},
		{`процесс {#1} получил в режиме {2} блокировку "{3}" через {#4} мс`, "process {1} acquired {2} on {3} after {4} ms"},
		{"процесс {#1} обнаружил взаимоблокировку, ожидая{2}", "process {1} detected deadlock while waiting{2}"},
		{"обнаружена взаимоблокировка", "deadlock detected"},
		{"начата контрольная точка: {1}", "checkpoint starting: {1}"},
		{"начата контрольная точка:{1}", "checkpoint starting:{1}"},
		{"начата точка перезапуска:{1}", "restartpoint starting:{1}"},
		{"контрольная точка завершена: записано буферов: {#1} ({2}%); добавлено файлов WAL {3}, удалено: {4}, переработано: {5}; " +
			"запись={6} сек., синхр.={7} сек., всего={8} сек.; {9}",
			"checkpoint complete: wrote {1} buffers ({2}%); {3} WAL file(s) added, {4} removed, {5} recycled; write={6} s, sync={7} s, total={8} s; {9}"},
		{`автоматическая очистка таблицы "{1}": сканирований индекса: {#2}`, `automatic vacuum of table "{1}": index scans: {2}`},
		{`автоматическая агрессивная очистка таблицы "{1}": сканирований индекса: {#2}`, `automatic aggressive vacuum of table "{1}": index scans: {2}`},
		{`автоматическая очистка таблицы "{1}", предотвращающая зацикливание: сканирований индекса: {#2}`,
			`automatic vacuum to prevent wraparound of table "{1}": index scans: {2}`},
		{`автоматический анализ таблицы "{1}"`, `automatic analyze of table "{1}"`},
		{"принято подключение: {1}", "connection received: {1}"},
		{"подключение авторизовано: пользователь={1} база={2} приложение={3}", "connection authorized: user={1} database={2} application_name={3}"},
		{"подключение авторизовано: пользователь={1} база={2}", "connection authorized: user={1} database={2}"},
		{"отключение: время сеанса: {1} пользователь={2} база данных={3} компьютер={4}", "disconnection: session time: {1} user={2} database={3} host={4}"},
		{`параметр "{1}" принял значение "{2}"`, `parameter "{1}" changed to "{2}"`},
		{"получен SIGHUP, файлы конфигурации перезагружаются", "received SIGHUP, reloading configuration files"},
		{"получен запрос на быстрое выключение", "received fast shutdown request"},
		{"система БД готова принимать подключения", "database system is ready to accept connections"},
		{"система БД {1}", "database system {1}"},
		{"прерывание всех активных транзакций", "aborting any active transactions"},
		{"выключение", "shutting down"},
		{`фоновый процесс "{1}" (PID {#2}) завершился с кодом выхода {#3}`, `background worker "{1}" (PID {2}) exited with exit code {3}`},
	}
}

// russianVacuum is the lines below the first of an automatic vacuum or analyze.
func russianVacuum() []translation {
	return []translation{
		{"страниц удалено: {#1}, осталось: {#2}, просканировано: {#3} ({4})", "pages: {1} removed, {2} remain, {3} scanned ({4})"},
		{"версий строк: удалено: {#1}, осталось: {#2}, «мёртвых», но ещё не подлежащих удалению: {#3}",
			"tuples: {1} removed, {2} remain, {3} are dead but not yet removable"},
		{"XID отсечки удаления: {#1}, на момент завершения операции он имел возраст: {#2} XID",
			"removable cutoff: {1}, which was {2} XIDs old when operation ended"},
		{"новое значение relfrozenxid: {#1}{2}", "new relfrozenxid: {1}"},
		{"новое значение relminmxid: {#1}{2}", "new relminmxid: {1}"},
		{"сканирование индекса требуется: на страницах таблицы ({#1}, {2}) удалено мёртвых идентификаторов элементов: {#3}",
			"index scan needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{"сканирование индекса не требуется: на страницах таблицы ({#1}, {2}) удалено мёртвых идентификаторов элементов: {#3}",
			"index scan not needed: {1} pages from table ({2}) had {3} dead item identifiers removed"},
		{`индекс "{1}": всего страниц: {#2}, сейчас удалено: {#3}, удалено на данный момент: {#4}, свободно: {#5}`,
			`index "{1}": pages: {2} in total, {3} newly deleted, {4} currently deleted, {5} reusable`},
		{"время ввода/вывода: чтение: {#1} мс, запись: {#2} мс", "I/O timings: read: {1} ms, write: {2} ms"},
		{"средняя скорость чтения: {1}", "avg read rate: {1}"},
		{"использование буфера: попаданий: {#1}, промахов: {#2}, «грязных» записей: {#3}", "buffer usage: {1} hits, {2} misses, {3} dirtied"},
		{"использование WAL: записей: {#1}, полных образов страниц: {#2}, байт: {#3}", "WAL usage: {1} records, {2} full page images, {3} bytes"},
		{"нагрузка системы: CPU: пользов.: {#1} с, система: {#2} с, прошло: {#3} с", "system usage: CPU: user: {1} s, system: {2} s, elapsed: {3} s"},
	}
}

// russianEnds is the end of processes, of the server and of statements, and the
// recovery after a crash.
func russianEnds() []translation {
	return []translation{
		{"процесс сервера (PID {#1}) был завершён по сигналу {#2}: {3}", "server process (PID {1}) was terminated by signal {2}: {3}"},
		{"контрольные точки происходят слишком часто (через {#1} сек.)", "checkpoints are occurring too frequently ({1} seconds apart)"},
		{"система БД была остановлена нештатно; производится автоматическое восстановление", "database system was not properly shut down; automatic recovery in progress"},
		{"работа системы БД была прервана; последний момент работы: {1}", "database system was interrupted; last known up at {1}"},
		{"получен запрос на \"вежливое\" выключение", "received smart shutdown request"},
		{"получен запрос на немедленное выключение", "received immediate shutdown request"},
		{"запись REDO начинается со смещения {1}", "redo starts at {1}"},
		{"записи REDO обработаны до смещения {1}, нагрузка системы: {2}", "redo done at {1} system usage: {2}"},
		{"выполнение оператора отменено из-за тайм-аута", "canceling statement due to statement timeout"},
		{"выполнение оператора отменено по запросу пользователя", "canceling statement due to user request"},
		{"выполнение оператора отменено из-за тайм-аута блокировки", "canceling statement due to lock timeout"},
	}
}

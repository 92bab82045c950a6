package journal

import (
	"strings"
	"testing"
)

// OverPostgres is the test that runs others with databases in place of directories, which OpenPlace
// opens.
const OverPostgres = "TestOverPostgres/"

var OpenPlace func(t testing.TB, dir string, opts Options) (*Store, error)

// openPlace opens the store in a directory, or in the database that a test has in place of it.
func openPlace(t testing.TB, dir string, opts Options) (*Store, error) {
	t.Helper()
	if strings.HasPrefix(t.Name(), OverPostgres) {
		return OpenPlace(t, dir, opts)
	}
	return Open(dir, opts)
}

// Tests are those of this package that are also run over Postgres.
var Tests = map[string]func(*testing.T){
	"TestQuestionsBeside":        TestQuestionsBeside,
	"TestDueAmongManyParkedRuns": TestDueAmongManyParkedRuns, "TestPhasesOfParkedRun": TestPhasesOfParkedRun, "TestEarlierProgramClaimsParkedRun": TestEarlierProgramClaimsParkedRun,
	"TestFlowComesBack": TestFlowComesBack, "TestGapsOfParts": TestGapsOfParts,
	"TestForkedFrom": TestForkedFrom, "TestLoadFor": TestLoadFor, "TestFlushOfALossyRun": TestFlushOfALossyRun,
	"TestHistory": TestHistory, "TestPageOfManyParts": TestPageOfManyParts, "TestImportOfParts": TestImportOfParts,
	"TestNothingComesBack":  TestNothingComesBack,
	"TestQuestionsComeBack": TestQuestionsComeBack, "TestImportOfQuestions": TestImportOfQuestions,
	"TestResult": TestResult, "TestNoResult": TestNoResult,
	"TestFailuresOfPartsHaveNoSecrets": TestFailuresOfPartsHaveNoSecrets, "TestFieldsOfFailuresHaveNoSecrets": TestFieldsOfFailuresHaveNoSecrets,
	"TestConstantsHaveNoSecrets": TestConstantsHaveNoSecrets,
	"TestX25NoCallWaits":         TestX25NoCallWaits, "TestX25LinearWork": TestX25LinearWork, "TestX25Stops": TestX25Stops, "TestX25WriterStandsStill": TestX25WriterStandsStill,
	"TestCensus":                    TestCensus,
	"TestX25BytesStayUnderTheBound": TestX25BytesStayUnderTheBound, "TestX28LeaderIsTakenOver": TestX28LeaderIsTakenOver, "TestX28NeverTwoLeaders": TestX28NeverTwoLeaders,
	"TestPassIsDueByAge": TestPassIsDueByAge, "TestSelectedRunIsTakenUp": TestSelectedRunIsTakenUp, "TestOldWithoutAnythingToDelete": TestOldWithoutAnythingToDelete, "TestRulesDeleteFirst": TestRulesDeleteFirst, "TestStepsOfLongRuns": TestStepsOfLongRuns, "TestPassFollowsTheLoad": TestPassFollowsTheLoad,
	"TestRulesOfRetention": TestRulesOfRetention, "TestBoundsOfAll": TestBoundsOfAll, "TestTotalsAreTheSums": TestTotalsAreTheSums,
	"TestX26WhatCanContinueStays": TestX26WhatCanContinueStays, "TestX27PolicyOfTheStore": TestX27PolicyOfTheStore, "TestX27DefaultOfServe": TestX27DefaultOfServe,
}

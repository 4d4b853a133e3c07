
C
xPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ
!
trainPlaceholder*
dtype0


sSwitchxtrain

noNegs

yesAbss:1

yMergenoyes